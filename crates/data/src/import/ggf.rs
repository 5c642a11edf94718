//! GGF: Othello as the servers keep it, `(;GM[Othello]...B[d3//1.2]...;)`.
//!
//! A move is followed by a value and the seconds, which are passed over. The
//! result is Black's margin, `+12.00`, with how it came to that after a colon.

use super::properties::{Event, Properties};
use super::script::{Fault, Reader, Script, Start, Why};
use crate::source::Lines;
use evalsmith_core::{Outcome, Protocol, Side};

pub(crate) struct Ggf {
    properties: Properties,
}

impl Ggf {
    pub(crate) fn new(lines: Lines) -> Self {
        Self { properties: Properties::new(lines, false) }
    }

    fn record(&mut self, script: &mut Script) -> Result<bool, Fault> {
        if !self.properties.begin()? {
            return Ok(false);
        }
        script.clear(self.properties.place());
        script.implied_passes = true;
        while let Some(event) = self.properties.next()? {
            let Event::Property(name, values) = event else { continue };
            let place = self.properties.place();
            let value = values.first().map_or("", |value| value.trim());
            match name.as_str() {
                "GM" if !value.eq_ignore_ascii_case("othello") => {
                    return Err(Fault::new(Why::Variant, place, format!("it is {value}")));
                }
                "PB" | "PW" => {
                    if !script.whose.is_empty() {
                        script.whose.push_str(" - ");
                    }
                    script.whose.push_str(value);
                }
                "RB" | "RW" => {
                    let rating = value.parse::<f64>().ok().filter(|r| (0.0..1e6).contains(r));
                    script.ratings[usize::from(name == "RW")] = rating.map(|r| r as u32);
                }
                "RE" => {
                    script.told =
                        result(value).map_err(|reason| Fault::malformed(place, reason))?;
                }
                "BO" => {
                    if !value.starts_with("8 ") {
                        let size = value.split(' ').next().unwrap_or_default();
                        let reason = format!("a board of {size}; 8x8 is read");
                        return Err(Fault::new(Why::Variant, place, reason));
                    }
                    script.start = Start::Spoken(Protocol::NBoard, value.to_owned());
                }
                "B" | "W" => {
                    let side = if name == "B" { Side::First } else { Side::Second };
                    let m = value.split('/').next().unwrap_or_default().trim();
                    script.push_move(m, Some(side), place);
                }
                _ => {}
            }
        }
        Ok(true)
    }
}

fn result(value: &str) -> Result<Option<Outcome>, String> {
    let margin = value.split(':').next().unwrap_or_default().trim();
    if margin.is_empty() || margin == "?" {
        return Ok(None);
    }
    match margin.parse::<f64>() {
        Ok(margin) if margin.abs() <= 64.0 => Ok(Some(Outcome::by(margin.round() as i16))),
        _ => Err(format!("the result {value:?}; write Black's margin, like +12.00, or ?")),
    }
}

impl Reader for Ggf {
    fn next(&mut self, script: &mut Script) -> Result<bool, Fault> {
        let read = self.record(script);
        if read.is_err() {
            self.properties.give_up();
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::super::InputFormat;
    use super::super::trial::{fault, read, read_one};
    use super::*;
    use crate::import::Place;
    use crate::records::tests::othello;

    const BOARD: &str =
        "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]";

    #[test]
    fn a_game_of_the_servers_is_read() {
        let text = format!(
            "1 (;GM[Othello]PC[GGS/os]DT[2003]PB[a]PW[b]RB[2113.39]RW[1500]TI[15:00]TY[8]RE[-6.00:r]\
             {BOARD}B[f5//1.00]W[D6/1.5]B[c3]W[d3]B[c4];)"
        );
        let game = read_one(&othello(), InputFormat::Ggf, &text);
        assert_eq!(game.names(&othello()), ["f5", "d6", "c3", "d3", "c4"]);
        assert_eq!(game.outcome, Some(Outcome::by(-6)));
        let mut script = Script::new();
        let lines = Lines::new(crate::source::of_bytes(text));
        Ggf::new(lines).next(&mut script).unwrap();
        assert_eq!(script.ratings, [Some(2113), Some(1500)]);
    }

    #[test]
    fn faults_are_told_with_their_line_and_the_next_game_is_read() {
        let text = format!(
            "(;GM[Othello]{BOARD}B[f5]W[a1];)\n(;GM[Othello]RE[lots]{BOARD};)\n\
             (;GM[Chess];)\n(;GM[Othello]BO[6 -- *];)\n(;GM[Othello]RE[+2]{BOARD}B[f5];)\n"
        );
        let found: Vec<_> = read(&othello(), InputFormat::Ggf, text)
            .into_iter()
            .map(|read| read.err().map(|fault| (fault.why, fault.place)))
            .collect();
        let expected = [
            Some((Why::Illegal, Place::Line(1))),
            Some((Why::Malformed, Place::Line(2))),
            Some((Why::Variant, Place::Line(3))),
            Some((Why::Variant, Place::Line(4))),
            None,
        ];
        assert_eq!(found, expected);
        let cut = fault(&othello(), InputFormat::Ggf, "(;GM[Othello]B[f5");
        assert_eq!(cut.why, Why::Truncated);
    }
}
