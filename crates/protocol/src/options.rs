//! The options that engines offer, and what may be put into them.

use crate::fault::Fault;

/// An option as the engine offers it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Its name, as the engine writes it.
    pub name: String,
    /// What it takes.
    pub kind: Kind,
    /// What it holds unless it is set; empty where nothing is known.
    pub default: String,
}

impl Offered {
    /// An option that holds nothing unless it is set.
    pub fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind, default: String::new() }
    }

    /// The same option with this default.
    #[must_use]
    pub fn holding(mut self, default: impl Into<String>) -> Self {
        self.default = default.into();
        self
    }
}

/// What an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Check,
    /// A whole number between two bounds.
    Spin(i64, i64),
    /// One of these.
    Combo(Vec<String>),
    /// Nothing: it is pressed.
    Button,
    /// Any text.
    Text,
}

/// The option of that name, in whatever case, once `value` is found to fit it.
pub(crate) fn choose<'a>(
    offered: &'a [Offered],
    name: &str,
    value: &str,
) -> Result<&'a Offered, Fault> {
    let wrong = |reason: String| Fault::Option { name: name.into(), value: value.into(), reason };
    let Some(option) = offered.iter().find(|o| o.name.eq_ignore_ascii_case(name)) else {
        let names: Vec<_> = offered.iter().map(|o| o.name.as_str()).collect();
        let names = if names.is_empty() { "none".into() } else { names.join(", ") };
        return Err(wrong(format!("the engine offers no such option, but {names}")));
    };
    if value.contains(['\n', '\r']) {
        return Err(wrong("a value is one line".into()));
    }
    match &option.kind {
        Kind::Check if !["true", "false"].contains(&value) => {
            Err(wrong("write true or false".into()))
        }
        Kind::Spin(low, high) if !value.parse().is_ok_and(|n: i64| (*low..=*high).contains(&n)) => {
            Err(wrong(format!("write a whole number from {low} to {high}")))
        }
        Kind::Combo(values) if !values.iter().any(|v| v.eq_ignore_ascii_case(value)) => {
            Err(wrong(format!("write one of {}", values.join(", "))))
        }
        Kind::Button if !value.is_empty() => Err(wrong("it takes no value; leave it empty".into())),
        _ => Ok(option),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_held_against_what_is_offered() {
        let offer = |name: &str, kind| Offered::new(name, kind);
        let offered = [
            offer("Hash", Kind::Spin(1, 64)),
            offer("Ponder", Kind::Check),
            offer("Style", Kind::Combo(vec!["Solid".into(), "Wild".into()])),
            offer("Clear", Kind::Button),
            offer("Book", Kind::Text),
        ];
        for (name, value) in
            [("hash", "64"), ("Ponder", "false"), ("Style", "wild"), ("Clear", ""), ("Book", "a b")]
        {
            assert!(choose(&offered, name, value).is_ok(), "{name} {value}");
        }
        for (name, value, reason) in [
            ("Hash", "65", "1 to 64"),
            ("Hash", "x", "1 to 64"),
            ("Ponder", "1", "true or false"),
            ("Style", "tame", "Solid, Wild"),
            ("Clear", "now", "no value"),
            ("Book", "a\nquit", "one line"),
            ("Threads", "2", "Hash, Ponder"),
        ] {
            let fault = choose(&offered, name, value).unwrap_err().to_string();
            assert!(fault.contains(reason), "{fault}");
        }
    }
}
