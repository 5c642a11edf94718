//! The text of a table, as its file's name wants it: tab-separated or comma-separated.

use crate::LabError;
use std::path::Path;

/// What parts the cells of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableForm {
    /// Tabs; cells hold none.
    Tsv,
    /// Commas; cells with commas or quotation marks are quoted.
    Csv,
}

impl TableForm {
    /// The form that a file's name asks for.
    ///
    /// # Errors
    /// When the name ends in neither `.tsv` nor `.csv`.
    pub fn of(path: &Path) -> Result<Self, LabError> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("tsv") => Ok(Self::Tsv),
            Some("csv") => Ok(Self::Csv),
            _ => Err(LabError::Settings(format!(
                "{}: values are written as .tsv or .csv; end the name in one of them",
                path.display()
            ))),
        }
    }

    /// A line of the table.
    pub fn line(self, cells: &[String]) -> String {
        let separator = if self == Self::Tsv { "\t" } else { "," };
        let cells: Vec<_> = cells.iter().map(|cell| self.cell(cell)).collect();
        cells.join(separator) + "\n"
    }

    fn cell(self, cell: &str) -> String {
        match self {
            Self::Tsv => cell.replace(['\t', '\n', '\r'], " "),
            Self::Csv if cell.contains(['"', ',', '\t', '\n', '\r']) => {
                format!("\"{}\"", cell.replace(['\n', '\r'], " ").replace('"', "\"\""))
            }
            Self::Csv => cell.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evalsmith_data::Sheet;

    #[test]
    fn cells_come_back_from_either_form() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["fen", "said", "value"].map(String::from);
        let cells = ["8/8 w - -", "he said \"no, never\"", "-1.5"].map(String::from);
        for name in ["a.tsv", "a.csv"] {
            let path = folder.path().join(name);
            let form = TableForm::of(&path).unwrap();
            std::fs::write(&path, form.line(&names) + &form.line(&cells)).unwrap();
            let (sheet, mut rows) = (Sheet::open(&path).unwrap(), Vec::new());
            assert_eq!(sheet.names(), names);
            sheet
                .texts(|cells| -> Result<(), LabError> {
                    rows.push(cells);
                    Ok(())
                })
                .unwrap();
            assert_eq!(rows, std::slice::from_ref(&cells), "{name}");
        }
    }

    #[test]
    fn a_name_that_promises_another_form_is_refused() {
        for name in ["a.parquet", "a", "a.tsv.zst", "tsv"] {
            let error = TableForm::of(Path::new(name)).unwrap_err();
            assert!(error.is_usage() && error.to_string().contains(".tsv or .csv"), "{error}");
        }
    }
}
