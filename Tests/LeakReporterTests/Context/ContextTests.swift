import Foundation
import LeakMessage
import Testing

@testable import LeakReporter

@Suite struct ContextTests {
    private enum Screen: String { case cart = "the cart" }
    private enum Step { case first, other(name: String) }

    private func set(
        _ value: Any?, forKey name: String, in context: inout Context, isRefused: Bool = false
    ) {
        let isSet = context.set(.of(value), forKey: name)
        #expect(isSet == !isRefused)
    }

    @Test func `a context has the newest 64 log lines, in order`() {
        var context = Context()
        for number in 0..<WireLimits.logLineCount { context.addBreadcrumb("\(number)") }
        #expect(context.log == (0..<64).map { "\($0)" })
        for number in 64..<1000 { context.addBreadcrumb("\(number)") }
        #expect(context.log == (936..<1000).map { "\($0)" })
    }

    @Test func `a log line is truncated between two Unicode scalars`() {
        var context = Context()
        context.addBreadcrumb(String(repeating: "x", count: WireLimits.logLineBytes - 1) + "ä")
        #expect(context.log.map(\.utf8.count) == [WireLimits.logLineBytes - 1])
    }

    @Test func `a copy of the context stays unchanged when the original changes`() {
        var context = Context()
        for number in 0..<100 { context.addBreadcrumb("\(number)") }
        set(1, forKey: "a", in: &context)
        let copy = context
        context.addBreadcrumb("later")
        set(2, forKey: "a", in: &context)
        #expect(copy.log == (36..<100).map { "\($0)" })
        #expect(copy.keys == [CustomKey("a", .number(1))])
    }

    @Test func `a custom key keeps its position, can change its value, and is removed by nil`() {
        var context = Context()
        set("x", forKey: "a", in: &context)
        set(1, forKey: "b", in: &context)
        set(true, forKey: "a", in: &context)
        #expect(context.keys == [CustomKey("a", .boolean(true)), CustomKey("b", .number(1))])
        set(nil, forKey: "a", in: &context)
        set(nil, forKey: "never set", in: &context)
        #expect(context.keys == [CustomKey("b", .number(1))])
    }

    @Test(arguments: [0, 1, 2])
    func `a custom value of nil inside an Any removes its key`(index: Int) {
        let absent: [Any] = [
            String?.none as Any, String??.some(.none) as Any, NSNull(),
        ]
        var context = Context()
        set("x", forKey: "a", in: &context)
        set(absent[index], forKey: "a", in: &context)
        #expect(context.keys == [])
        set(String??.some("y") as Any, forKey: "a", in: &context)
        #expect(context.keys == [CustomKey("a", .string("y"))])
    }

    /// Values of the types that users of Crashlytics pass.
    @Test func `plain custom values keep their types`() throws {
        let values: [(Any, CustomKey.Value)] = [
            ("text", .string("text")), (true, .boolean(true)), (NSNumber(value: true), .boolean(true)),
            (1, .number(1)), (NSNumber(value: 0), .number(0)), (Int32(-3), .number(-3)),
            (1.5, .number(1.5)), (Float(0.5), .number(0.5)), (Double.nan, .string("nan")),
            (try #require(URL(string: "https://a.example/b")), .string("https://a.example/b")),
            (Screen.cart, .string("the cart")), (Step.first, .string("first")),
            (Step.other(name: "Jane"), .string("other")), (FloatingPointSign.minus, .number(1)),
            (NSError(domain: "d", code: 4), .string("d 4")),
            (["Jane"], .string("Swift.Array<Swift.String>")),
        ]
        for (value, expected) in values {
            var context = Context()
            set(value, forKey: "k", in: &context)
            #expect(context.keys == [CustomKey("k", expected)], "\(type(of: value))")
        }
    }

    @Test func `the number of custom keys is limited, and keys that exist can still change their values`() {
        var context = Context()
        for number in 0..<WireLimits.keysCount { set(number, forKey: "\(number)", in: &context) }
        set(1, forKey: "one more", in: &context, isRefused: true)
        #expect(context.keys.count == WireLimits.keysCount)
        set("new", forKey: "63", in: &context)
        #expect(context.keys.last == CustomKey("63", .string("new")))
        set(nil, forKey: "7", in: &context)
        set(1, forKey: "one more", in: &context)
        #expect(context.keys.last?.name == "one more")
    }

    @Test func `names and values of custom keys are truncated`() {
        var context = Context()
        let long = String(repeating: "x", count: 5_000)
        set(long, forKey: long, in: &context)
        // Names that differ only after the limit are the same name.
        set("same", forKey: long + "y", in: &context)
        #expect(context.keys == [CustomKey(String(long.prefix(WireLimits.keyBytes)), .string("same"))])
        set(long, forKey: long, in: &context)
        #expect(context.keys.first?.value == .string(String(long.prefix(WireLimits.keyValueBytes))))
    }

    @Test
    func `a report's own custom keys override those of the context, and the report's log lines come last`() {
        var context = Context()
        set(1, forKey: "a", in: &context)
        set(2, forKey: "b", in: &context)
        context.addBreadcrumb("before")
        var report = LeakReport()
        report.className = "Shop.Cart"
        let plain = context.added(to: report)
        #expect(plain.className == "Shop.Cart")
        #expect(plain.keys == [CustomKey("a", .number(1)), CustomKey("b", .number(2))])
        #expect(plain.log == ["before"])

        report.keys = [CustomKey("b", .string("own")), CustomKey("c", .string("own"))]
        report.log = ["own"]
        let full = context.added(to: report)
        #expect(full.keys == report.keys + [CustomKey("a", .number(1))])
        #expect(full.log == ["before", "own"])
        #expect(Context().added(to: report) == report)
    }

    @Test
    func `keys and log lines that the context adds to a report stay within the limits of the wire format`() {
        var context = Context()
        for number in 0..<100 {
            context.addBreadcrumb("\(number)")
            _ = context.set(.of(number), forKey: "\(number)")
        }
        var report = LeakReport()
        report.keys = (0..<10).map { CustomKey("own \($0)", .number(0)) }
        report.log = ["own 1", "own 2"]
        let full = context.added(to: report)
        #expect(full.keys.count == WireLimits.keysCount)
        #expect(Array(full.keys.prefix(10)) == report.keys)
        #expect(full.log.count == WireLimits.logLineCount)
        #expect(Array(full.log.suffix(3)) == ["99", "own 1", "own 2"])

        report.keys = (0..<100).map { CustomKey("own \($0)", .number(0)) }
        report.log = (0..<100).map { "own \($0)" }
        #expect(context.added(to: report).keys == report.keys, "limited when it is sent")
        #expect(context.added(to: report).log == report.log)
    }

    /// The wire format identifies a name by its truncated form.
    @Test func `a report's custom key replaces the context's key if their truncated names are equal`() {
        let long = String(repeating: "x", count: 100)
        var context = Context()
        set(1, forKey: long, in: &context)
        var report = LeakReport()
        report.keys = [CustomKey(long, .string("own"))]
        #expect(context.added(to: report).keys == report.keys)
    }
}
