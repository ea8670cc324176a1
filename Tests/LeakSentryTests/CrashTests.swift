import LeakGrammar
import LeakMessage
import LeakSentry
import Testing

@Suite struct CrashTests {
    @Test(arguments: [
        #"{"level":"fatal","message":"a"}"#,
        #"{"exception":{"values":[{"type":"E","value":"a","mechanism":{"type":"mach","handled":false}}]}}"#,
        #"{"exception":[{"type":"E","mechanism":{"handled":false}},{"type":"F","mechanism":{"handled":true}}]}"#,
        #"{"exception":[{"type":"App Hanging","value":"App hanging for at least 2000 ms.","mechanism":{"type":"AppHang"}}]}"#,
        #"{"exception":[{"type":"HTTPClientError","mechanism":{"type":"HTTPClientError"}}]}"#,
        #"{"exception":[{"type":"MXCPUException","mechanism":{"type":"mx_cpu_exception","handled":true}}]}"#,
        #"{"exception":[{"type":"MXCrashDiagnostic","mechanism":{"type":"MXCrashDiagnostic"}}]}"#,
    ])
    func `crashes, hangs and other events without a leak are counted as dropped and not reported`(
        event: String
    ) throws {
        let sent = try ReadSubmission(event: event.dropLast() + #","release":"com.acme.shop@5.2.0"}"#)
        #expect(sent.document.reports.isEmpty)
        #expect(sent.dropped == ["sentry_not_a_leak": 1])
        #expect(sent.app.id == "com.acme.shop")
    }

    @Test func `an event without anything that names a leak is counted as dropped`() throws {
        for event in [
            "{}", #"{"message":"  "}"#, #"{"exception":[{}],"tags":{"leak.class":""},"fingerprint":[]}"#,
        ] {
            #expect(try ReadSubmission(event: event).dropped == ["sentry_empty": 1])
        }
    }

    @Test func `a transaction is ignored`() throws {
        let event = Array(
            #"{"type":"transaction","message":"a","event_id":"976bd002967e4c8ba371f3287f5f7c8c"}"#.utf8)
        let submission = try SentrySubmission(event: event)
        #expect(submission.batch == nil)
        #expect(submission.eventID == "976bd002967e4c8ba371f3287f5f7c8c")
    }

    @Test func `each event of an envelope keeps its own app`() throws {
        let sent = try ReadSubmission(
            envelope: """
                {}
                {"type":"event"}
                {"message":"a","release":"shop@1","user":{"id":"i"}}
                {"type":"event"}
                {"message":"b","release":"shop@1","user":{"id":"i"}}
                {"type":"event"}
                {"message":"c","release":"other@2"}
                {"type":"event"}
                {"level":"fatal"}
                {"type":"client_report"}
                {"discarded_events":[{"reason":"queue_overflow","category":"error","quantity":2}]}
                """)
        let reports = sent.document.reports.indices.map { sent.document.report(at: $0) }
        #expect(reports.map(\.message) == ["a", "b", "c"])
        #expect(sent.app == AppInfo(id: "shop", version: "1") && sent.install == "i")
        #expect(reports.map(\.app) == [nil, nil, AppInfo(id: "other", version: "2")])
        #expect(sent.dropped == ["sentry_not_a_leak": 1, "sentry_queue_overflow": 2])
    }
}
