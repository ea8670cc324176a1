import Testing

@testable import LeakCollector

@Suite struct LoggedPathTests {
    @Test(arguments: [
        ("/api/v1/installs/phone", "/api/v1/installs/***"),
        ("/api/v1/installs/a%20+%20b?x=1", "/api/v1/installs/***?x=1"),
        // Answered with 404, logged all the same.
        ("/api/v1/installs/a/b", "/api/v1/installs/***"),
        ("/api/v1/%69nstall%73/phone", "/api/v1/%69nstall%73/***"),
        ("/API/V1/Installs/phone", "/API/V1/Installs/***"),
        ("http://leaks.example/api/v1/installs/phone", "http://leaks.example/api/v1/installs/***"),
        ("/api/v1/installs/", "/api/v1/installs/"),
        ("/api/v1/leaks?q=/installs/phone", "/api/v1/leaks?q=/installs/phone"),
        ("/api/v1/leaks/installs", "/api/v1/leaks/installs"),
        ("/", "/"), ("", ""), ("*", "*"),
    ])
    func `an install is in no path that is logged`(target: String, logged: String) {
        #expect(String(decoding: LoggedPath.masked(Array(target.utf8)), as: UTF8.self) == logged)
    }
}
