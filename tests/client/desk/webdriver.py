"""A browser, driven by plain W3C WebDriver calls (https://www.w3.org/TR/webdriver2/)."""

import base64
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

BROWSER = "chromium"
DRIVER = "chromedriver"
# Runs as root and without a network; requests only the page.
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic",
         "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
WAIT_MS = 20000
# Bypasses proxies.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def missing():
    """Returns which of browser and driver is missing; empty if none is."""
    return next((name for name in (BROWSER, DRIVER) if not shutil.which(name)), "")


class Browser:
    """A window, open inside `with`."""

    def __init__(self, downloads):
        self.downloads = pathlib.Path(downloads)

    def __enter__(self):
        self.driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        port = next(match[1] for line in self.driver.stdout
                    if (match := re.search(r"successfully on port (\d+)", line)))
        # Reads the pipe, which would block the driver if full.
        threading.Thread(target=self.driver.stdout.read, daemon=True).start()
        self.root = f"http://127.0.0.1:{port}/session"
        self.profile = tempfile.mkdtemp()
        options = {
            "binary": shutil.which(BROWSER),
            "args": [*FLAGS, f"--user-data-dir={self.profile}"],
            "prefs": {"download.default_directory": str(self.downloads)}}
        self.session = self._call("POST", "", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
            "timeouts": {"script": WAIT_MS, "pageLoad": WAIT_MS}}}})["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)

    def _call(self, method, path, body=None):
        request = urllib.request.Request(
            self.root + path, method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        try:
            with DIRECT.open(request) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error

    def call(self, method, path, body=None):
        return self._call(method, f"/{self.session}{path}", body)

    def open(self, address):
        self.call("POST", "/url", {"url": address})

    def devtools(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute",
                         {"cmd": command, "params": parameters})

    def look(self, width, height, scheme):
        """Sets the size and the scheme, "light" or "dark"."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync",
                         {"script": script, "args": list(arguments)})

    def wait(self, condition, *arguments):
        """Waits until the expression is true, checked each frame; returns its value."""
        script = """
            const done = arguments[arguments.length - 1];
            const check = () => {
              const value = (() => (%s))(...arguments);
              if (value) done(value); else requestAnimationFrame(check);
            };
            check();""" % condition
        try:
            return self.call("POST", "/execute/async",
                             {"script": script, "args": list(arguments)})
        except AssertionError as error:
            seen = self.run("return document.body.innerText")
            raise AssertionError(f"never: {condition} {arguments}\n{seen[:1500]}") from error

    def find(self, selector):
        return self.call("POST", "/element",
                         {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        # Otherwise the sticky header could cover it.
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})",
                 selector)
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def text(self, selector):
        return self.call("GET", f"/element/{self.find(selector)}/text")

    def log(self):
        return [entry["message"] for entry in
                self.call("POST", "/se/log", {"type": "browser"})]

    def picture(self, file):
        data = base64.b64decode(self.call("GET", "/screenshot"))
        pathlib.Path(file).write_bytes(data)
        return data
