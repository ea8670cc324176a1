import LeakGrammar
import LeakMessage
import LeakSentry
import Testing

@Suite struct EventTests {
    @Test(arguments: [
        (#""2026-11-20T12:00:00.123Z""#, 1_795_176_000_123),
        (#""2026-11-20T13:00:00+01:00""#, 1_795_176_000_000),
        (#""2026-11-20T12:00:00.123456""#, 1_795_176_000_123), ("1795176000.552155", 1_795_176_000_552),
        ("1795176000", 1_795_176_000_000), ("0", 0), ("-1.5", nil), ("253402300799", 253_402_300_799_000),
        ("253402300800", nil), (#""1969-12-31T23:59:59Z""#, nil), (#""yesterday""#, nil), ("null", nil),
        ("1e300", nil), ("{}", nil), (#""1795176000""#, nil),
    ])
    func `the time of an event is read as RFC 3339 or as a number of seconds since 1970`(
        timestamp: String, milliseconds: Int64?
    ) throws {
        let report = try ReadSubmission(event: "{\"message\":\"a\",\"timestamp\":\(timestamp)}").report
        #expect(report.at?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        (
            #""release":"com.acme.shop@5.2.0+812""#,
            AppInfo(id: "com.acme.shop", version: "5.2.0", build: "812")
        ),
        (
            #""release":"com.acme.shop@5.2.0","dist":"9""#,
            AppInfo(id: "com.acme.shop", version: "5.2.0", build: "9")
        ),
        (
            #""release":"com.acme.shop@5.2.0","dist":9"#,
            AppInfo(id: "com.acme.shop", version: "5.2.0", build: "9")
        ),
        (#""release":"5.2.0""#, AppInfo(version: "5.2.0")),
        (#""release":"@""#, AppInfo()),
        (#""release":"a@b@1+2+3""#, AppInfo(id: "a@b", version: "1", build: "2+3")),
        (
            #""release":"x@1+2","contexts":{"app":{"app_identifier":"com.acme.shop","app_version":"5","app_build":"6"}}"#,
            AppInfo(id: "com.acme.shop", version: "1", build: "2")
        ),
        (
            #""release":"nightly","contexts":{"app":{"app_identifier":"com.acme.shop","app_version":"5","app_build":6}}"#,
            AppInfo(id: "com.acme.shop", version: "5", build: "6")
        ),
        (
            #""release":"x@1","contexts":{"app":{"app_build":"6"}},"dist":"7""#,
            AppInfo(id: "x", version: "1", build: "6")
        ),
        (#""release":["x"],"dist":{},"contexts":{"app":3}"#, AppInfo()),
        (#""release":"x\u0000@1\n""#, AppInfo(id: "x", version: "1")),
    ])
    func `the app of an event is identified by its release and its context`(fields: String, app: AppInfo)
        throws
    {
        #expect(try ReadSubmission(event: "{\"message\":\"a\",\(fields)}").app == app)
    }

    @Test func `the device of an event is read, and only the id of its user`() throws {
        let sent = try ReadSubmission(
            event: """
                {"message":"a","server_name":"janes-phone",
                "user":{"id":"6b8d","email":"jane@example.com","username":"jane","ip_address":"192.0.2.1","name":"Jane"},
                "contexts":{"os":{"name":"iOS","version":"19.1"},"device":{"model":"iPhone17,1","name":"Jane's iPhone"}},
                "request":{"url":"https://example.com/jane","cookies":"jane"}}
                """)
        #expect(sent.device == DeviceInfo(os: "iOS", osVersion: "19.1", model: "iPhone17,1"))
        #expect(sent.install == "6b8d")
        let batch = String(decoding: try #require(sent.submission.batch), as: UTF8.self)
        #expect(!batch.lowercased().contains("jane") && !batch.contains("192.0.2.1"))
    }

    @Test(arguments: [
        (#""message":"a""#, "a"), (#""message":{"message":"a"}"#, "a"),
        (#""message":{"message":"%s","formatted":"a"}"#, "a"),
        (#""logentry":{"message":"a"},"message":"b""#, "a"),
        (#""logentry":{"message":"%s","formatted":"a","params":["a"]}"#, "a"), (#""logentry":"a""#, "a"),
        (#""logentry":null,"message":"a""#, "a"), (#""exception":{"values":[]},"message":"a""#, "a"),
        (#""exception":null,"message":"a""#, "a"),
        (#""exception":{"values":[{"value":"a"}]},"message":"b""#, "a"),
        (#""exception":[{"value":"b"},{"value":"a"},null]"#, "a"), (#""exception":{"value":"a"}"#, "a"),
        (#""exception":[{"type":"E"}],"logentry":{"formatted":"a"}"#, "a"),
        (#""message":" \n\ta\u0000 ""#, "a"),
    ])
    func `the text of an event is found in any of the fields that may have it`(fields: String, text: String)
        throws
    {
        #expect(try ReadSubmission(event: "{\(fields)}").report.message == text)
    }

    /// SDKs may leave it to the server to put the parameters into the text.
    @Test(arguments: [
        (#""message":"%s leaked","params":["CartModel"]"#, "CartModel leaked"),
        (#""message":"%@ leaked from %@","params":["CartModel","HomeVC"]"#, "CartModel leaked from HomeVC"),
        (
            #""message":"%2$@ leaked, %1$d of them","params":[3,"CartModel"]"#,
            "CartModel leaked, %1$d of them"
        ),
        (#""message":"{} leaked {}","params":["CartModel",4]"#, "CartModel leaked {}"),
        (#""message":"{0} is still alive","params":["CartModel"]"#, "CartModel is still alive"),
        (#""message":"%(name)s leaked","params":{"name":"CartModel"}"#, "CartModel leaked"),
        (#""message":"{name} leaked","params":{"name":"CartModel"}"#, "CartModel leaked"),
        (#""message":"leaked: %@","params":["<Shop.Cart: 0x1f>"]"#, "leaked: <Shop.Cart: 0x1f>"),
        (#""message":"Memory leak","params":["CartModel"]"#, "Memory leak: CartModel"),
        (#""message":"Memory leak","params":["CartModel","HomeModel"]"#, "Memory leak"),
        (#""message":"%s","formatted":"a","params":["CartModel"]"#, "a"),
        // If text that users typed were inserted, each value would become a separate leak.
        (#""message":"user %s left","params":["JaneDoe"]"#, "user %s left"),
        (#""message":"%s leaked for %s","params":["CartModel","jane doe"]"#, "CartModel leaked for %s"),
        (#""message":"100 % of {","params":["CartModel",null,[1]]"#, "100 % of {"),
        (#""message":"%s and %s leaked","params":[[1],"CartModel"]"#, "%s and CartModel leaked"),
        (#""message":"%9$s leaked","params":["CartModel"]"#, "%9$s leaked"),
        (#""message":"a","params":7"#, "a"),
    ])
    func `a parameter that names a class replaces its placeholder`(entry: String, text: String) throws {
        #expect(try ReadSubmission(event: "{\"logentry\":{\(entry)}}").report.message == text)
        #expect(try ReadSubmission(event: "{\"message\":{\(entry)}}").report.message == text)
    }

    @Test(arguments: [
        (#""message":"Memory leak","extra":{"class":"CartModel"}"#, "CartModel"),
        (
            #""message":"Memory leak","extra":{"a":1,"leaked_class":"Shop.CartModel","class":"B"}"#,
            "Shop.CartModel"
        ),
        (
            #""exception":[{"type":"MemoryLeak","value":"at checkout"}],"extra":{"className":"CartModel"}"#,
            "CartModel"
        ),
        (#""exception":[{"type":"LeakedThing","value":"v"}],"extra":{"class":"CartModel"}"#, "LeakedThing"),
        (#""message":"Memory leak","extra":{"class":"jane doe"}"#, nil),
        (#""message":"Memory leak","extra":{"class":7}"#, nil),
        (#""message":"HomeModel leaked","extra":{"class":"LeakLogger"}"#, nil),
        (#""message":"Memory leak","extra":{"text":"CartModel"}"#, nil),
        (#""message":"Memory leak","extra":{"class":"B"},"tags":{"leak.class":"CartModel"}"#, "CartModel"),
    ])
    func `the class is read from extra if nothing else in the event names it`(
        fields: String, className: String?
    ) throws {
        #expect(try ReadSubmission(event: "{\(fields)}").report.className == className)
    }

    private static func thread(_ function: String, _ marks: String = "") -> String {
        #"{"id":1\#(marks),"stacktrace":{"frames":[{"function":"main","in_app":true},{"function":"\#(function)","in_app":true}]}}"#
    }

    @Test(arguments: [
        ([thread("wait"), thread("load", #","current":true"#)], "load"),
        ([thread("load", #","crashed":true"#), thread("wait", #","current":true"#)], "load"),
        ([thread("wait", #","current":true"#), thread("load", #","crashed":true"#)], "load"),
        ([thread("load")], "load"), ([thread("wait"), thread("load")], nil), ([], nil),
    ])
    func `the call stack of a message is that of its crashed or current thread, or of its only thread`(
        threads: [String], function: String?
    )
        throws
    {
        let list = threads.joined(separator: ",")
        for threads in ["[\(list)]", "{\"values\":[\(list)]}"] {
            let report = try ReadSubmission(event: "{\"message\":\"Memory leak\",\"threads\":\(threads)}")
                .report
            #expect(
                report.stack.compactMap { CallFrame($0)?.function } == (function.map { [$0, "main"] } ?? []))
        }
    }

    @Test(arguments: [
        #""message":"CartModel leaked""#, #""message":"<Shop.Cart: 0x1f> is still alive""#,
        #""message":"Memory leak","contexts":{"leak":{"class":"Cart"}}"#,
        #""message":"Memory leak","extra":{"class":"Cart"}"#,
        #""exception":[{"value":"Memory leak"}]"#, #""fingerprint":["a"]"#,
        #""message":"Memory Leak: (\n    A,\n    B\n)""#,
    ])
    func `the calls of a thread are not the stack if the event names its leak in another way`(fields: String)
        throws
    {
        let thread = Self.thread("load", #","current":true"#)
        #expect(try ReadSubmission(event: "{\(fields),\"threads\":[\(thread)]}").report.stack.isEmpty)
    }

    @Test(arguments: [
        #"{"tags":{"leak.class":"Shop.Cart","a":"b","n":1,"t":true,"x":[1],"z":null}}"#,
        #"{"tags":[["leak.class","Shop.Cart"],["a","b"],["n",1],["t",true],["x"],["x","y","z"],["x",[1]],4,null]}"#,
    ])
    func `tags are read from a map and from a list of pairs`(event: String) throws {
        let report = try ReadSubmission(event: event).report
        #expect(report.className == "Shop.Cart")
        #expect(
            report.keys == [.init("a", .string("b")), .init("n", .string("1")), .init("t", .string("true"))])
    }

    @Test func `level, tags and scalars of extra become custom keys, and the first of equal names is kept`()
        throws
    {
        let report = try ReadSubmission(
            event: """
                {"message":"a","environment":"beta","level":"info","tags":{"level":"x","tab":"cart"},
                "extra":{"tab":"y","n":2.5,"on":false,"s":"t","list":[1],"map":{"a":1},"none":null,"big":1e999}}
                """
        ).report
        #expect(
            report.keys == [
                .init("level", .string("info")),
                .init("tab", .string("cart")),
                .init("n", .number(2.5)), .init("on", .boolean(false)), .init("s", .string("t")),
            ])
    }

    @Test(arguments: ["[%]", "{\"values\":[%]}"])
    func `the newest breadcrumbs become the log, with the newest at the end`(list: String) throws {
        let many = (0..<80).map {
            "{\"category\":\"ui\",\"message\":\"tap \($0)\",\"data\":{\"text\":\"Jane\"}}"
        }
        let others = #"{"message":"alone"},{"category":"http"},{"type":"x"},null,{"category":1,"message":[]}"#
        let crumbs = (many + [others]).joined(separator: ",")
        let log = try ReadSubmission(
            event: "{\"message\":\"a\",\"breadcrumbs\":\(list.replacing("%", with: crumbs))}"
        ).report.log
        #expect(log.count == WireLimits.logLineCount)
        #expect(log.suffix(3) == ["ui: tap 79", "alone", "http"])
        #expect(log.first == "ui: tap 18")
    }

    @Test func `the context leak may have the fields of a report of the wire format`() throws {
        let report = try ReadSubmission(
            event: """
                {"message":"still there","contexts":{"leak":{"class":"Shop.Cart","type":"freed","kind":"view",
                "id":"01936f2c-7c1e-7a44-9d0e-6b8d4c1f2a90","stack":["UINavigationController","Shop.Cart"],
                "children":["Shop.Row"],"cycle":["Shop.Cart.onPaid","closure"],"reason":"dismissed","waited_ms":1000,
                "alive":3,"lived_ms":9,"count":2,"bytes":4096}}}
                """
        ).report
        var expected = LeakReport()
        expected.className = "Shop.Cart"
        expected.event = .freed
        expected.kind = .view
        expected.id = "01936f2c-7c1e-7a44-9d0e-6b8d4c1f2a90"
        expected.stack = ["UINavigationController", "Shop.Cart"]
        expected.children = ["Shop.Row"]
        expected.cycle = ["Shop.Cart.onPaid", "closure"]
        expected.reason = "dismissed"
        expected.waitedMilliseconds = 1000
        expected.alive = 3
        expected.livedMilliseconds = 9
        expected.count = 2
        expected.message = "still there"
        #expect(report == expected)
    }

    @Test func `a field with a value of a wrong type in the context leak is treated as missing`() throws {
        let report = try ReadSubmission(
            event: """
                {"message":"a","contexts":{"leak":{"class":4,"type":"gone","kind":"thing","id":"7","stack":"x",
                "children":[1,"Shop.Row",null],"cycle":{},"reason":[],"waited_ms":-1,"alive":"3","lived_ms":1.5,
                "count":"2"}}}
                """
        ).report
        var expected = LeakReport()
        expected.message = "a"
        expected.children = ["Shop.Row"]
        #expect(report == expected)
        #expect(
            try ReadSubmission(event: #"{"message":"a","contexts":{"leak":"Shop.Cart"}}"#).report.className
                == nil)
        #expect(try ReadSubmission(event: #"{"message":"a","contexts":[]}"#).report.className == nil)
    }

    @Test(arguments: [
        ("view_controller", LeakReport.Kind.viewController), ("view-controller", .viewController),
        ("View Controller", .viewController), ("view", .view), ("OBJECT", .object), ("cycle", .cycle),
        ("retain-cycle", .cycle), ("retain_cycle", .cycle), ("reference cycle", .cycle), ("zombie", nil),
    ])
    func `the kind of a leaked object is read in several spellings`(text: String, kind: LeakReport.Kind?)
        throws
    {
        let report = try ReadSubmission(event: "{\"message\":\"a\",\"tags\":{\"leak.kind\":\"\(text)\"}}")
            .report
        #expect(report.kind == kind)
        #expect(report.keys.isEmpty == (kind != nil), "an unknown kind stays a custom key")
        #expect(
            try ReadSubmission(event: "{\"message\":\"a\",\"contexts\":{\"leak\":{\"kind\":\"\(text)\"}}}")
                .report.kind
                == kind)
    }

    @Test func `the context leak overrides the tags`() throws {
        let report = try ReadSubmission(
            event: """
                {"contexts":{"leak":{"class":"Shop.Cart","kind":"view"}},"tags":{"leak.class":"A","leak.kind":"cycle"}}
                """
        ).report
        #expect(report.className == "Shop.Cart" && report.kind == .view && report.keys.isEmpty)
    }

    /// Class and path must be spelled alike, so that the last element of the path is recognized as the class.
    @Test func `control characters in a path become spaces, as in the class`() throws {
        let context = #"{"class":"a\rb\u0000c","stack":["Root","a\rb\u0000c"],"cycle":["a\rb\u0000c"]}"#
        let report = try ReadSubmission(event: #"{"message":"m","contexts":{"leak":\#(context)}}"#).report
        #expect(report.className == "a b c")
        #expect(report.stack == ["Root", "a b c"] && report.cycle == ["a b c"])
    }
}
