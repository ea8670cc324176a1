import LeakGrammar
import LeakMessage
import LeakSentry
import Testing

/// Events of sentry-cocoa 9, after its sources at https://github.com/getsentry/sentry-cocoa: SentryClient+ErrorEvents.m
/// and SentryClient+EventCapture.m build an event, SentryEvent.m, SentryMessage.m and SentryMechanism.m serialize it,
/// and SentryCrashStackEntryMapper.m fills a frame. The stack of the capturing call is in `threads`, never in the
/// exception.
@Suite struct CocoaTests {
    /// Fields of every event of an app.
    private static let common = """
        "event_id":"12c2d058d58442709aa2eca08bf20986","timestamp":1795176000.552155,"platform":"cocoa",
        "sdk":{"name":"sentry.cocoa","version":"9.0.0"},"release":"com.acme.shop@5.2.0+812","dist":"812",
        "environment":"production","user":{"id":"6B8D4C1F-2A90-4C2E-8F57-0A1B2C3D4E5F"},
        "breadcrumbs":[{"type":"navigation","category":"ui.lifecycle","level":"info","timestamp":1795176000.1}],
        "threads":{"values":[{"id":0,"crashed":false,"current":true,"name":"main","stacktrace":{"frames":[
        {"instruction_addr":"0x0000000104f1d234","image_addr":"0x0000000104f1c000","in_app":true,
        "package":"/private/var/containers/Bundle/Application/0/Shop.app/Shop"}]}}]},
        "debug_meta":{"images":[{"type":"macho","debug_id":"7F45A2F0-1B6D-3A8B-9C61-0E4C0C9B2A11",
        "image_addr":"0x0000000104f1c000","image_size":1048576,"code_file":"/private/var/0/Shop.app/Shop"}]},
        """

    private static let contexts = """
        "os":{"name":"iOS","version":"19.1","build":"23B5"},"device":{"model":"iPhone17,1","family":"iPhone"},
        "app":{"app_identifier":"com.acme.shop","app_version":"5.2.0","app_build":"812","in_foreground":true}
        """

    private static let detected =
        #"VIEWCONTROLLER STILL IN MEMORY <Shop.CheckoutViewController: 0x7f88acc69260>"#

    private func sent(_ fields: String, contexts more: String = "") throws -> ReadSubmission {
        try ReadSubmission(
            envelope: """
                {"event_id":"12c2d058d58442709aa2eca08bf20986","sdk":{"name":"sentry.cocoa","version":"9.0.0"}}
                {"type":"event"}
                \("{\(Self.common)\(fields),\"contexts\":{\(Self.contexts)\(more)}}".replacing("\n", with: ""))
                """)
    }

    /// Returns the `mechanism` of an `NSError`, with its user info.
    private func mechanism(_ domain: String, _ code: Int, _ userInfo: String) -> String {
        """
        "mechanism":{"type":"NSError","description":"Error Domain=\(domain) Code=\(code)","data":{\(userInfo)},
        "meta":{"ns_error":{"domain":"\(domain)","code":\(code)}}}
        """
    }

    @Test func `a captured message of a detector is read as a detector's message`() throws {
        let sent = try sent(#""level":"info","message":{"formatted":"\#(Self.detected)"}"#)
        let report = try sent.report
        #expect(report.message == Self.detected)
        #expect(report.className == nil && report.stack.isEmpty && report.fingerprint.isEmpty)
        #expect(DetectorMessage(Self.detected).className == "Shop.CheckoutViewController")
        #expect(report.at?.milliseconds == 1_795_176_000_552)
        #expect(report.log == ["ui.lifecycle"])
        #expect(report.keys == [.init("level", .string("info"))])
        #expect(
            sent.app
                == AppInfo(id: "com.acme.shop", environment: "production", version: "5.2.0", build: "812"))
        #expect(sent.device == DeviceInfo(os: "iOS", osVersion: "19.1", model: "iPhone17,1"))
        #expect(sent.install == "6B8D4C1F-2A90-4C2E-8F57-0A1B2C3D4E5F")
        #expect(sent.submission.eventID == "12c2d058d58442709aa2eca08bf20986")
    }

    @Test(arguments: [true, false])
    func `an NSError that carries a detector's text is read as that text`(inData: Bool) throws {
        let description = #""NSLocalizedDescription":"\#(Self.detected)""#
        let exception = """
            {"type":"com.acme.shop","value":"Code: 8",\(mechanism("com.acme.shop", 8, inData ? description : ""))}
            """
        let report = try sent(
            #""level":"error","exception":{"values":[\#(exception)]}"#,
            contexts: inData ? "" : #","user info":{\#(description)}"#
        ).report
        #expect(report.message == Self.detected)
        #expect(report.error == ReportedError(domain: "com.acme.shop", code: 8))
        #expect(report.className == nil && report.stack.isEmpty && report.fingerprint.isEmpty)
    }

    @Test func `a detector's text in the debug description of an NSError is read as that text`() throws {
        let text = "\(Self.detected) (Code: 8)"
        let exception = #"{"type":"com.acme.shop","value":"\#(text)",\#(mechanism("com.acme.shop", 8, ""))}"#
        let report = try sent(#""exception":{"values":[\#(exception)]}"#).report
        #expect(report.message == text && report.fingerprint.isEmpty)
        #expect(DetectorMessage(text).className == "Shop.CheckoutViewController")
    }

    @Test(arguments: [
        (#""NSLocalizedDescription":"The cart is still there.""#, "com.acme.shop: The cart is still there."),
        ("", "com.acme.shop: Code: 8"),
    ])
    func `an NSError without a detector's text is identified by domain and code, as in Sentry`(
        userInfo: String, text: String
    ) throws {
        let exception =
            #"{"type":"com.acme.shop","value":"Code: 8",\#(mechanism("com.acme.shop", 8, userInfo))}"#
        let report = try sent(#""exception":{"values":[\#(exception)]}"#).report
        #expect(report.fingerprint == ["com.acme.shop", "8"])
        #expect(report.message == text)
        #expect(report.error == ReportedError(domain: "com.acme.shop", code: 8))
        #expect(report.className == nil && report.stack.isEmpty)
    }

    @Test
    func `the last error in the list of exceptions identifies the leak; the errors that caused it do not`()
        throws
    {
        let cause =
            #"{"type":"NSPOSIXErrorDomain","value":"Code: 2",\#(mechanism("NSPOSIXErrorDomain", 2, ""))}"#
        let error =
            #"{"type":"Shop.LeakError","value":"stillAlive (Code: 1)",\#(mechanism("Shop.LeakError", 1, ""))}"#
        let report = try sent(#""exception":{"values":[\#(cause),\#(error)]}"#).report
        #expect(report.fingerprint == ["Shop.LeakError", "1"])
        #expect(report.message == "Shop.LeakError: stillAlive (Code: 1)")
    }

    @Test func `a fingerprint overrides an NSError's domain and code`() throws {
        let exception = #"{"type":"com.acme.shop","value":"Code: 8",\#(mechanism("com.acme.shop", 8, ""))}"#
        let values = #""exception":{"values":[\#(exception)]}"#
        #expect(try sent(values + #","fingerprint":["cart"]"#).report.fingerprint == ["cart"])
        #expect(
            try sent(values + #","fingerprint":["{{ default }}","cart"]"#).report.fingerprint
                == ["com.acme.shop", "8", "cart"])
        #expect(
            try sent(values + #","fingerprint":["{{ default }}"]"#).report.fingerprint == [
                "com.acme.shop", "8",
            ])
    }

    @Test func `an NSException is identified by its name, a detector's exception by its reason`() throws {
        let named = try sent(
            #""exception":{"values":[{"type":"ShopLeakException","value":"still there"}]}"#
        ).report
        #expect(
            named.className == "ShopLeakException" && named.message == "still there" && named.stack.isEmpty)
        let reason = "Memory Leak: (\\n    MyTableViewController,\\n    MyTableViewCell\\n)"
        let detected = try sent(
            #""exception":{"values":[{"type":"NSGenericException","value":"\#(reason)"}]}"#
        ).report
        #expect(detected.className == nil)
        #expect(DetectorMessage(try #require(detected.message)).className == "MyTableViewCell")
    }

    @Test(arguments: [
        "Leak", "MemoryLeak", "LeakDetectedError", "RetainCycle", "LEAK", "Memory Leak", "Shop.LeakError",
    ])
    func `if the type of an exception is a word for leaks, its text names the class`(type: String) throws {
        func report(_ value: String) throws -> LeakReport {
            let frames = #"{"frames":[{"function":"open","in_app":true},{"function":"check","in_app":true}]}"#
            return try sent(
                #""exception":{"values":[{"type":"\#(type)","value":"\#(value)","stacktrace":\#(frames)}]}"#
            ).report
        }
        let named = try report("CartViewModel is still alive")
        #expect(named.className == nil && named.message == "CartViewModel is still alive")
        #expect(named.stack.count == 2)
        #expect(try report("still there").className == type)
        #expect(try report("leaked: $s4Shop9CartModelC").className == nil)
        #expect(try report("CartViewModel").className == "CartViewModel")
    }

    @Test func `if the app names the class, the call stack of the exception is not used`()
        throws
    {
        let frames = #"{"frames":[{"function":"timerFired","in_app":true}]}"#
        let report = try sent(
            #"""
            "exception":{"values":[{"type":"Leak","value":"still there","stacktrace":\#(frames)}]},
            "tags":{"leak.class":"Shop.Cart"}
            """#
        ).report
        #expect(report.className == "Shop.Cart" && report.message == "still there" && report.stack.isEmpty)
    }

    @Test func `a path that the app gives replaces the call stack of an exception`() throws {
        let report = try sent(
            #""exception":{"values":[{"type":"Leak","stacktrace":{"frames":[{"function":"timerFired"}]}}]}"#,
            contexts: #","leak":{"stack":["Shop.Cart","Shop.Row"]}"#
        ).report
        #expect(report.className == "Leak" && report.stack == ["Shop.Cart", "Shop.Row"])
    }
}
