import LeakHTTPServer
import Testing

@testable import LeakCollector

@Suite struct SentryAuthorizationTests {
    @Test(arguments: [
        "Sentry sentry_key=k", "Sentry sentry_key=k, sentry_version=7, sentry_client=sentry.python/2.75.0",
        "Sentry sentry_version=7,sentry_client=sentry.cocoa/9.0.0,sentry_key=k",
        "sentry   sentry_version=7 ,\tSENTRY_KEY = k \t,sentry_secret=s", "SENTRY\tsentry_key=k",
        "Sentry sentry_key=k,sentry_key=k", "Sentry ,,sentry_key=k,",
    ])
    func `a Sentry key is found in X-Sentry-Auth and in Authorization, however the field is written`(
        value: String
    ) throws {
        #expect(try SentryAuthorization.key(fields: [value, nil], parameter: nil) == "k")
        #expect(try SentryAuthorization.key(fields: [nil, value], parameter: nil) == "k")
        #expect(try SentryAuthorization.key(fields: [value, "Basic abc"], parameter: "k") == "k")
    }

    @Test func `a Sentry key in the address is enough, and may contain an equals sign`() throws {
        #expect(try SentryAuthorization.key(fields: [nil, nil], parameter: "k=") == "k=")
        #expect(try SentryAuthorization.key(fields: ["Sentry sentry_key=k=", nil], parameter: nil) == "k=")
    }

    @Test(arguments: [
        [nil, nil], ["Bearer k", "Bearer k"], ["Sentry", nil], ["Sentry sentry_key=", nil],
        ["Sentrysentry_key=k", nil], ["sentry_key=k", nil], ["Sentry xsentry_key=k", nil], ["", ""],
        ["Sentry sentry_key", nil],
    ])
    func `the error for a Sentry request without a key says which header field to send`(fields: [String?]) {
        let problem = #expect(throws: Problem.self) {
            try SentryAuthorization.key(fields: fields, parameter: fields[0] == nil ? nil : "")
        }
        #expect(problem?.status == .forbidden)
        #expect(problem?.detail.contains("X-Sentry-Auth: Sentry sentry_key=KEY") == true)
    }

    @Test(
        arguments: [
            (["Sentry sentry_key=a", nil], "b"), (["Sentry sentry_key=a", "Sentry sentry_key=b"], nil),
            (["Sentry sentry_key=a,sentry_key=b", nil], nil), ([nil, "Sentry sentry_key=a"], "A"),
        ] as [([String?], String?)])
    func `a Sentry request with two different keys is refused, and the error contains neither key`(
        fields: [String?], parameter: String?
    ) {
        let problem = #expect(throws: Problem.self) {
            try SentryAuthorization.key(fields: fields, parameter: parameter)
        }
        #expect(problem?.status == .forbidden)
        #expect(problem?.detail.contains("two different values") == true)
    }
}
