//! A real browser, driven over its DevTools socket: as little as these tests need.
//!
//! Chromium is all that must be installed. It is asked for by its Debian name and by
//! others; where none is found, tests say so and pass.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket};

/// Patience for anything the page should come to; nothing is judged by it.
const PATIENCE: Duration = Duration::from_mins(2);

/// A page in a browser of its own.
pub(crate) struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    last: u64,
    /// What scripts threw or called an error, what the page's policy refused, and
    /// requests that failed.
    complaints: Vec<String>,
    /// Words of complaints that a test provokes.
    excused: Vec<&'static str>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser; `None` where there is none.
    pub(crate) fn start() -> Option<Self> {
        let profile = tempfile::tempdir().unwrap();
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let mut process = names.into_iter().find_map(|name| {
            Command::new(name)
                .args([
                    "--headless=new",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                ])
                .args(["--hide-scrollbars", "--no-first-run", "--remote-debugging-port=0"])
                .arg(format!("--user-data-dir={}", profile.path().display()))
                .arg("about:blank")
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .ok()
        })?;
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut urls = lines.map_while(Result::ok).filter_map(|line| {
            Some(line.split_once("DevTools listening on ")?.1.trim().to_owned())
        });
        let url = urls.next().expect("the browser says where its socket is");
        // The rest is read so that the browser never waits for a full pipe.
        std::thread::spawn(move || urls.for_each(drop));
        let address = url.trim_start_matches("ws://").split('/').next().unwrap();
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (socket, _) = tungstenite::client(url.as_str(), stream).unwrap();
        let (session, last, complaints) = (String::new(), 0, Vec::new());
        let excused = Vec::new();
        let mut browser =
            Self { process, socket, session, last, complaints, excused, _profile: profile };
        let target = browser.ask("Target.createTarget", &json!({ "url": "about:blank" }));
        let order = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.ask("Target.attachToTarget", &order);
        session["sessionId"].as_str().unwrap().clone_into(&mut browser.session);
        for domain in ["Page", "Runtime", "Log"] {
            browser.ask(&format!("{domain}.enable"), &json!({}));
        }
        browser.size(1280, 900);
        Some(browser)
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let told: Value = serde_json::from_str(&text).unwrap();
            if told["id"] == json!(self.last) {
                assert!(told["error"].is_null(), "{method}: {}", told["error"]);
                return told["result"].clone();
            }
            self.note(&told);
        }
    }

    fn note(&mut self, told: &Value) {
        let parameters = &told["params"];
        let complaint = match told["method"].as_str() {
            Some("Runtime.exceptionThrown") => &parameters["exceptionDetails"],
            Some("Runtime.consoleAPICalled")
                if matches!(parameters["type"].as_str(), Some("error" | "assert")) =>
            {
                &parameters["args"]
            }
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                &parameters["entry"]
            }
            _ => return,
        };
        let complaint = complaint.to_string();
        if !self.excused.iter().any(|words| complaint.contains(words)) {
            self.complaints.push(complaint);
        }
    }

    /// Lets complaints with these words pass from now on: the test provokes them.
    pub(crate) fn excuse(&mut self, words: &'static str) {
        self.excused.push(words);
    }

    /// The size of the window.
    pub(crate) fn size(&mut self, width: u32, height: u32) {
        let order = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.ask("Emulation.setDeviceMetricsOverride", &order);
    }

    /// Whether surroundings are dark.
    pub(crate) fn dark(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let feature = json!({ "name": "prefers-color-scheme", "value": value });
        self.ask("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
    }

    /// Opens an address anew.
    pub(crate) fn open(&mut self, url: &str) {
        // The same page with another place in it would not be loaded again.
        self.ask("Page.navigate", &json!({ "url": "about:blank" }));
        self.ask("Page.navigate", &json!({ "url": url }));
    }

    /// What an expression gives.
    pub(crate) fn eval(&mut self, script: &str) -> Value {
        let order = json!({ "expression": script, "awaitPromise": true, "returnByValue": true });
        let told = self.ask("Runtime.evaluate", &order);
        assert!(told["exceptionDetails"].is_null(), "{script}: {}", told["exceptionDetails"]);
        told["result"]["value"].clone()
    }

    /// Waits until an expression gives something true, and returns it.
    pub(crate) fn wait(&mut self, script: &str) -> Value {
        let begun = Instant::now();
        loop {
            let value = self.eval(script);
            if !matches!(value, Value::Null | Value::Bool(false)) && value != json!("") {
                return value;
            }
            let seen = begun.elapsed() < PATIENCE;
            assert!(seen, "{script} never came true; complaints: {:?}", self.complaints);
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// The text of the first element that a selector names.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        let script = format!("document.querySelector({selector:?})?.textContent ?? ''");
        self.eval(&script).as_str().unwrap_or_default().to_owned()
    }

    /// Clicks with the mouse in the middle of an element, once it is there. News may move
    /// or replace it at any moment: what went elsewhere is clicked again, as by a person.
    pub(crate) fn click(&mut self, selector: &str) {
        let listen = format!(
            "window.hit = false; addEventListener('click', (event) => {{
                const e = document.querySelector({selector:?}), r = e?.getBoundingClientRect();
                window.hit = !!e && event.clientX >= r.left && event.clientX <= r.right
                    && event.clientY >= r.top && event.clientY <= r.bottom
                    && (event.target === e || !event.target.contains(e));
            }}, {{capture: true, once: true}})"
        );
        let begun = Instant::now();
        loop {
            let place = self.place(selector);
            self.eval(&listen);
            self.mouse("mousePressed", &place[0], &place[1]);
            self.mouse("mouseReleased", &place[0], &place[1]);
            if self.eval("window.hit") == json!(true) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{selector} could not be clicked");
        }
    }

    /// The middle of an element, once it is there.
    fn place(&mut self, selector: &str) -> Value {
        let script = format!(
            "(() => {{ const e = document.querySelector({selector:?}); if (!e) return null;
                e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();
                return r.width ? [r.x + r.width / 2, r.y + r.height / 2] : null; }})()"
        );
        self.wait(&script)
    }

    /// Presses at one place, moves to another, lets go.
    pub(crate) fn drag(&mut self, from: (f64, f64), to: (f64, f64)) {
        self.mouse("mousePressed", &json!(from.0), &json!(from.1));
        self.mouse("mouseMoved", &json!(to.0), &json!(to.1));
        self.mouse("mouseReleased", &json!(to.0), &json!(to.1));
    }

    fn mouse(&mut self, kind: &str, x: &Value, y: &Value) {
        let order = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        self.ask("Input.dispatchMouseEvent", &order);
    }

    /// Moves the mouse onto an element.
    pub(crate) fn point(&mut self, selector: &str) {
        let place = self.place(selector);
        let order = json!({ "type": "mouseMoved", "x": place[0], "y": place[1], "button": "none" });
        self.ask("Input.dispatchMouseEvent", &order);
    }

    /// Presses a key and lets it go.
    pub(crate) fn key(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, None),
            "Enter" => (13, Some("\r")),
            "ArrowDown" => (40, None),
            letter => (u32::from(letter.as_bytes()[0].to_ascii_uppercase()), Some(letter)),
        };
        let mut order = json!({ "type": "rawKeyDown", "key": key, "windowsVirtualKeyCode": code });
        if let Some(text) = text {
            order["type"] = json!("keyDown");
            order["text"] = json!(text);
        }
        self.ask("Input.dispatchKeyEvent", &order);
        self.ask("Input.dispatchKeyEvent", &json!({ "type": "keyUp", "key": key }));
    }

    /// Role and name of everything that assistive programs are told of.
    pub(crate) fn names(&mut self) -> Vec<(String, String)> {
        let told = self.ask("Accessibility.getFullAXTree", &json!({}));
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().trim().to_owned();
        let nodes = told["nodes"].as_array().cloned().unwrap_or_default();
        let seen = nodes.iter().filter(|node| node["ignored"] != json!(true));
        seen.map(|node| (text(&node["role"]), text(&node["name"]))).collect()
    }

    /// Chooses or types a value, as a person would.
    pub(crate) fn set(&mut self, selector: &str, value: &str) {
        self.wait(&format!("!!document.querySelector({selector:?})"));
        self.eval(&format!(
            "(() => {{ const e = document.querySelector({selector:?}); e.value = {value:?};
                e.dispatchEvent(new Event('input', {{bubbles: true}}));
                e.dispatchEvent(new Event('change', {{bubbles: true}})); return e.value; }})()"
        ));
    }

    /// The window as a PNG file.
    pub(crate) fn screenshot(&mut self, path: &std::path::Path) {
        let told = self.ask("Page.captureScreenshot", &json!({ "format": "png" }));
        std::fs::write(path, base64(told["data"].as_str().unwrap())).unwrap();
    }
}

/// Every test fails where the page complained, whatever else it looked at.
impl Drop for Browser {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // What was complained of until now is told before this is answered.
            self.eval("new Promise((done) => setTimeout(done))");
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        if !std::thread::panicking() {
            assert!(self.complaints.is_empty(), "the page complains: {:#?}", self.complaints);
        }
    }
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |b: u8| DIGITS.iter().position(|&d| d == b).map(|at| at as u32);
    let digits: Vec<u32> = text.bytes().filter_map(digit).collect();
    let mut bytes = Vec::new();
    for chunk in digits.chunks(4) {
        let word = chunk.iter().fold(0, |word, d| word << 6 | d) << (6 * (4 - chunk.len()));
        bytes.extend(word.to_be_bytes()[1..].iter().take(chunk.len() - 1));
    }
    bytes
}
