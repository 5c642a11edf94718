//! The page over a folder that holds nothing, as everybody sees it first.

use super::page;
use serde_json::json;

/// The views, and what each shows when it is there.
const VIEWS: [(&str, &str); 4] = [
    ("play", ".square.legal"),
    ("inside", ".accounts tbody tr"),
    ("curve", ".empty h2"),
    ("run", "#f-kind"),
];

#[test]
fn every_view_is_shown_and_left_in_an_empty_folder() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page(temp.path()) else { return };
    browser.open(&server.url);
    for from in VIEWS {
        for to in VIEWS {
            for (view, shown) in [from, to] {
                browser.click(&format!("nav a[data-view={view}]"));
                browser.wait(&format!(
                    "document.querySelector('nav a[aria-current]')?.dataset.view === '{view}' && !!document.querySelector('#view {shown}')"
                ));
            }
        }
    }
    // Links of a view lead on, too.
    browser.click("nav a[data-view=curve]");
    browser.click("#view .empty a");
    for kind in ["bootstrap", "match", "tournament", "fit", "learn"] {
        browser.set("#f-kind", kind);
        browser.wait(&format!("document.querySelector('#f-name')?.value === '{kind}-1'"));
        let disabled = browser.eval("document.querySelector('#start').disabled");
        assert_eq!(disabled, json!(kind == "fit"), "{kind}");
    }
    assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0, "looking writes nothing");
}

#[test]
fn addresses_of_what_is_not_there_are_answered_in_words() {
    let temp = tempfile::tempdir().unwrap();
    let Some((server, mut browser)) = page(temp.path()) else { return };
    // Refused requests are what this is about; scripts that fail are not.
    browser.excuse("Failed to load resource");
    for place in [
        "inside/othello?function=none.safetensors",
        "play/othello?function=none.safetensors",
        "play/ludo",
        "play/othello/a1",
        "run/nothing",
        "run/%E0%A4%A",
        "play/%",
    ] {
        browser.open(&format!("{}#/{place}", server.url));
        browser.wait("!!document.querySelector('#view .wrong, #said.wrong')");
        // And one can go on from there.
        browser.click("nav a[data-view=run]");
        browser.wait("!!document.querySelector('#f-kind')");
    }
}

#[test]
fn a_page_that_complains_fails_its_test() {
    let temp = tempfile::tempdir().unwrap();
    for fault in
        ["console.error('on purpose')", "setTimeout(() => { throw new Error('on purpose') })"]
    {
        let Some((_server, mut browser)) = page(temp.path()) else { return };
        browser.eval(fault);
        let end = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(browser)));
        assert!(end.is_err(), "{fault}");
    }
}
