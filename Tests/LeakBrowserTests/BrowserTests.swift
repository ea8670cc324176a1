import Testing

/// The pages as people see them: in Chromium, with a separate collector for each test.
@Suite(
    .serialized, .chromium,
    .enabled(
        if: ChromiumProcess.program != nil,
        "LEFT OUT: there is no chromium on PATH; Scripts/setup-browser installs it"))
struct BrowserTests {}
