//! A piece of a column as it is wanted: numbers, results, games or sides.

use crate::sheet::meaning;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, StringViewArray};
use arrow_schema::DataType;

/// What a column is wanted for.
#[expect(clippy::struct_excessive_bools, reason = "one column may serve every purpose")]
pub(super) struct Uses<'a> {
    pub(super) number: bool,
    pub(super) result: bool,
    pub(super) game: bool,
    pub(super) side: bool,
    /// The word for the first player.
    pub(super) first: Option<&'a str>,
}

/// The cells, each kind empty where nobody wants it.
#[derive(Default)]
pub(super) struct Cells {
    pub(super) numbers: Vec<f64>,
    /// Rows without a number.
    pub(super) gaps: Vec<u32>,
    pub(super) results: Vec<f64>,
    pub(super) games: Vec<u64>,
    pub(super) sides: Vec<Option<bool>>,
    /// The first texts that nobody understands, with their rows.
    pub(super) strange: Vec<(u32, String)>,
}

impl Cells {
    /// Reads a piece of a column; an error says what it should hold.
    pub(super) fn read(column: &ArrayRef, uses: &Uses<'_>) -> Result<Self, &'static str> {
        match column.data_type() {
            DataType::Utf8View if !uses.number => Ok(Self::of_texts(column.as_string_view(), uses)),
            _ => match numbers(column) {
                Some(numbers) => Ok(Self::of_numbers(numbers, column, uses)),
                None if uses.number => Err("a number"),
                None => Err("a number or a text"),
            },
        }
    }

    fn of_texts(texts: &StringViewArray, uses: &Uses<'_>) -> Self {
        let mut cells = Self::default();
        if uses.result {
            let strange = &mut cells.strange;
            cells.results = each(texts, |row, text| {
                let result = meaning::result(text.trim(), uses.first);
                if result.is_nan() {
                    note(strange, row, text);
                }
                result
            });
        }
        if uses.game {
            cells.games = each(texts, |_, text| meaning::game(text.trim().as_bytes()));
        }
        if uses.side {
            let strange = &mut cells.strange;
            cells.sides = each(texts, |row, text| {
                let side = meaning::second_to_move(text, uses.first);
                if side.is_none() {
                    note(strange, row, text);
                }
                side
            });
        }
        cells
    }

    fn of_numbers(numbers: Vec<f64>, column: &ArrayRef, uses: &Uses<'_>) -> Self {
        let mut cells = Self::default();
        if uses.game {
            cells.games = numbers.iter().map(|x| meaning::spread(x.to_bits())).collect();
        }
        if uses.side {
            let side = |&x: &f64| if x == 0.0 { Some(false) } else { (x == 1.0).then_some(true) };
            cells.sides = numbers.iter().map(side).collect();
            if let Some(row) = cells.sides.iter().position(Option::is_none) {
                cells.strange.push((row as u32, numbers[row].to_string()));
            }
        }
        if uses.result {
            cells.results.clone_from(&numbers);
        }
        if uses.number {
            let fraction = matches!(column.data_type(), DataType::Float32 | DataType::Float64);
            if fraction || column.null_count() > 0 {
                cells.gaps = gaps(&numbers);
            }
            cells.numbers = numbers;
        }
        cells
    }
}

fn note(strange: &mut Vec<(u32, String)>, row: usize, text: &str) {
    strange.push((row as u32, text.chars().take(40).collect()));
}

/// What each text means, asked once for texts that stand again; no text means what an
/// empty one does.
fn each<T: Copy>(texts: &StringViewArray, mut of: impl FnMut(usize, &str) -> T) -> Vec<T> {
    if texts.null_count() > 0 {
        return (0..texts.len())
            .map(|row| of(row, if texts.is_null(row) { "" } else { texts.value(row) }))
            .collect();
    }
    let mut last: Option<(u128, T)> = None;
    let views = texts.views().iter().enumerate();
    views
        .map(|(row, &view)| match last {
            // Equal views of one column are of one text.
            Some((before, meaning)) if before == view => meaning,
            _ => last.insert((view, of(row, texts.value(row)))).1,
        })
        .collect()
}

/// The rows without a number: few, so that whole blocks are passed by.
fn gaps(numbers: &[f64]) -> Vec<u32> {
    let mut gaps = Vec::new();
    for (block, numbers) in numbers.chunks(256).enumerate() {
        if numbers.iter().fold(false, |any, x| any | x.is_nan()) {
            let rows = numbers.iter().zip(256 * block as u32..);
            gaps.extend(rows.filter(|(x, _)| x.is_nan()).map(|(_, row)| row));
        }
    }
    gaps
}

/// A numeric column, not a number where it has gaps or is not finite; none of
/// another type.
fn numbers(column: &ArrayRef) -> Option<Vec<f64>> {
    fn of<T: ArrowPrimitiveType>(column: &ArrayRef, to: impl Fn(T::Native) -> f64) -> Vec<f64> {
        let array = column.as_primitive::<T>();
        if array.null_count() == 0 {
            return array.values().iter().map(|&x| to(x)).collect();
        }
        array.iter().map(|x| x.map_or(f64::NAN, &to)).collect()
    }
    let finite = |x: f64| if x.is_finite() { x } else { f64::NAN };
    Some(match column.data_type() {
        DataType::Int8 => of::<Int8Type>(column, f64::from),
        DataType::Int16 => of::<Int16Type>(column, f64::from),
        DataType::Int32 => of::<Int32Type>(column, f64::from),
        DataType::Int64 => of::<Int64Type>(column, |x| x as f64),
        DataType::UInt8 => of::<UInt8Type>(column, f64::from),
        DataType::UInt16 => of::<UInt16Type>(column, f64::from),
        DataType::UInt32 => of::<UInt32Type>(column, f64::from),
        DataType::UInt64 => of::<UInt64Type>(column, |x| x as f64),
        DataType::Float32 => of::<Float32Type>(column, |x| finite(f64::from(x))),
        DataType::Float64 => of::<Float64Type>(column, finite),
        DataType::Boolean => {
            let truth = |x: Option<bool>| x.map_or(f64::NAN, |x| f64::from(u8::from(x)));
            column.as_boolean().iter().map(truth).collect()
        }
        _ => return None,
    })
}
