import Testing

@testable import LeakGrammar
@testable import LeakMessage

/// A value of one field at its limit, and a value beyond it.
struct Bound: CustomTestStringConvertible {
    let accepted: String
    let refused: String
    let reason: String

    var testDescription: String { reason }

    init(_ reason: String, _ accepted: String, _ refused: String) {
        self.reason = reason
        self.accepted = #"{"class":"A",\#(accepted)}"#
        self.refused = #"{"class":"A",\#(refused)}"#
    }

    private static func text(_ count: Int) -> String { "\"" + String(repeating: "x", count: count) + "\"" }

    private static func list(_ count: Int, _ bytes: Int = 1) -> String {
        "[" + Array(repeating: text(bytes), count: count).joined(separator: ",") + "]"
    }

    private static func object(_ count: Int, value: String = "1") -> String {
        "{" + (0..<count).map { "\"k\($0)\":\(value)" }.joined(separator: ",") + "}"
    }

    static let all: [Bound] = [
        Bound("class is 513 bytes, the limit is 512", #""class":\#(text(512))"#, #""class":\#(text(513))"#),
        Bound("class is empty, must have at least 1 byte", #""class":"x""#, #""class":"""#),
        Bound("class has a control character", #""class":"\u0020""#, #""class":"a\u001f""#),
        Bound("class has a control character", #""class":"\u00a0""#, "\"class\":\"a\u{85}\""),
        Bound("class has a control character", #""class":"~""#, "\"class\":\"\u{7F}\""),
        Bound(
            "stack has 129 entries, the limit is 128", #""stack":\#(list(128))"#, #""stack":\#(list(129))"#),
        Bound(
            "stack[1] is 513 bytes, the limit is 512", #""stack":\#(list(2, 512))"#,
            #""stack":["",\#(text(513))]"#
        ),
        Bound("stack[0] is null, must be a string", #""stack":[]"#, #""stack":[null]"#),
        Bound("stack is a string, must be an array of strings", #""stack":null"#, #""stack":"A""#),
        Bound(
            "children has 33 entries, the limit is 32", #""children":\#(list(32))"#,
            #""children":\#(list(33))"#),
        Bound(
            "children[0] is 513 bytes, the limit is 512", #""children":\#(list(1, 512))"#,
            #""children":\#(list(1, 513))"#),
        Bound("cycle has 33 entries, the limit is 32", #""cycle":\#(list(32))"#, #""cycle":\#(list(33))"#),
        Bound("cycle[0] is a number, must be a string", #""cycle":["1"]"#, #""cycle":[1]"#),
        Bound(
            "reason is 129 bytes, the limit is 128", #""reason":\#(text(128))"#, #""reason":\#(text(129))"#),
        Bound(
            "waited_ms is -1, must be an integer from 0 to 315360000000", #""waited_ms":0"#,
            #""waited_ms":-1"#),
        Bound(
            "waited_ms is 315360000001, must be an integer from 0 to 315360000000",
            #""waited_ms":315360000000"#, #""waited_ms":315360000001"#),
        Bound(
            "alive is 1.5, must be an integer from 0 to 1000000", #""alive":1.0"#, #""alive":1.5"#),
        Bound(
            "alive is 1000001, must be an integer from 0 to 1000000", #""alive":1000000"#,
            #""alive":1000001"#),
        Bound(
            "lived_ms is a boolean, must be an integer from 0 to 315360000000", #""lived_ms":1e3"#,
            #""lived_ms":true"#),
        Bound(
            "lived_ms is 9223372036854775807, must be an integer from 0 to 315360000000",
            #""lived_ms":315360000000"#, #""lived_ms":9223372036854775807"#),
        Bound("app.id has a control character", #""app":{"id":"a b"}"#, #""app":{"id":"com.a\u001fFoo"}"#),
        Bound("app.module has a control character", #""app":{"module":"~"}"#, #""app":{"module":"\u007f"}"#),
        Bound("app.version has a control character", #""app":{"version":"é"}"#, #""app":{"version":"\n"}"#),
        Bound("app.build has a control character", #""app":{"build":""}"#, #""app":{"build":"\u0000"}"#),
        Bound("device.os has a control character", #""device":{"os":"i"}"#, "\"device\":{\"os\":\"\u{7F}\"}"),
        Bound(
            "device.os_version has a control character", #""device":{"os_version":"1"}"#,
            #""device":{"os_version":"\t"}"#),
        Bound(
            "device.model has a control character", #""device":{"model":"中"}"#,
            #""device":{"model":"\u001e"}"#),
        Bound("install has a control character", #""install":"\u0020""#, #""install":"\u001f""#),
        Bound("user has a control character", #""user":"\u00a0""#, #""user":"\u0085""#),
        Bound("count is 0, must be an integer from 1 to 1000000", #""count":1"#, #""count":0"#),
        Bound(
            "count is 1000001, must be an integer from 1 to 1000000", #""count":1000000"#, #""count":1000001"#
        ),
        Bound("count is a string, must be an integer from 1 to 1000000", #""count":1"#, #""count":"1""#),
        Bound(
            "count is too large, must be an integer from 1 to 1000000", #""count":1"#,
            #""count":1000000000000000000000000000000"#),
        Bound(
            "message is 8193 bytes, the limit is 8192", #""message":\#(text(8192))"#,
            #""message":\#(text(8193))"#),
        Bound("type is not leak or freed", #""type":"leak""#, #""type":"leaked""#),
        Bound("type is a number, must be leak or freed", #""type":"freed""#, #""type":1"#),
        Bound(
            "kind is not view_controller, view, object or cycle", #""kind":"view_controller""#,
            #""kind":"window""#),
        Bound(
            "id is not a UUID", #""id":"01936F2C-7c1e-7a44-9d0e-6b8d4c1f2a90""#,
            #""id":"01936f2c-7c1e-7a44-9d0e-6b8d4c1f2a9""#),
        Bound(
            "at is not a time, must be a time such as 2026-11-20T12:00:00Z, or milliseconds since 1970",
            #""at":"2026-11-20T12:00:00Z""#, #""at":"yesterday""#),
        Bound(
            "at is an array, must be a time such as 2026-11-20T12:00:00Z, or milliseconds since 1970",
            #""at":1795176000123"#, #""at":[]"#),
        Bound(
            "error.domain is 257 bytes, the limit is 256", #""error":{"domain":\#(text(256))}"#,
            #""error":{"domain":\#(text(257))}"#),
        Bound("error.code is 1.5, must be an integer", #""error":{"code":-1}"#, #""error":{"code":1.5}"#),
        Bound("error is a string, must be a JSON object", #""error":{}"#, #""error":"x""#),
        Bound(
            "error.userInfo has 65 entries, the limit is 64", #""error":{"userInfo":\#(object(64))}"#,
            #""error":{"userInfo":\#(object(65))}"#),
        Bound(
            "error.userInfo is 8193 bytes, the limit is 8192", #""error":{"userInfo":{"a":\#(text(8184))}}"#,
            #""error":{"userInfo":{"a":\#(text(8185))}}"#),
        Bound("keys has 65 entries, the limit is 64", #""keys":\#(object(64))"#, #""keys":\#(object(65))"#),
        Bound(
            "a name in keys is 65 bytes, the limit is 64", #""keys":{\#(text(64)):1}"#,
            #""keys":{\#(text(65)):1}"#
        ),
        Bound(
            "keys.a is 1025 bytes, the limit is 1024", #""keys":{"a":\#(text(1024))}"#,
            #""keys":{"a":\#(text(1025))}"#),
        Bound(
            "keys.a is an array, must be a string, a number or a boolean", #""keys":{"a":false}"#,
            #""keys":{"a":[]}"#),
        Bound("log has 65 entries, the limit is 64", #""log":\#(list(64))"#, #""log":\#(list(65))"#),
        Bound(
            "log[0] is 513 bytes, the limit is 512", #""log":\#(list(1, 512))"#, #""log":\#(list(1, 513))"#),
        Bound(
            "fingerprint has 9 entries, the limit is 8", #""fingerprint":\#(list(8))"#,
            #""fingerprint":\#(list(9))"#),
        Bound(
            "fingerprint has 0 entries, must have at least 1", #""fingerprint":[""]"#,
            #""fingerprint":[ ]"#),
        Bound(
            "fingerprint[0] is 257 bytes, the limit is 256", #""fingerprint":\#(list(1, 256))"#,
            #""fingerprint":\#(list(1, 257))"#),
        Bound(
            "app.id is 257 bytes, the limit is 256", #""app":{"id":\#(text(256))}"#,
            #""app":{"id":\#(text(257))}"#
        ),
        Bound(
            "app.version is a number, must be a string", #""app":{"version":"1"}"#, #""app":{"version":1}"#),
        Bound(
            "device.model is 65 bytes, the limit is 64", #""device":{"model":\#(text(64))}"#,
            #""device":{"model":\#(text(65))}"#),
        Bound(
            "install is 129 bytes, the limit is 128", #""install":\#(text(128))"#, #""install":\#(text(129))"#
        ),
        Bound("user is 257 bytes, the limit is 256", #""user":\#(text(256))"#, #""user":\#(text(257))"#),
    ]
}

@Suite struct WireLimitsTests {
    @Test(arguments: Bound.all)
    func `a value at its limit is accepted, and the error about a value over the limit names the field`(
        bound: Bound
    )
        throws
    {
        let accepted = try read(bound.accepted)
        #expect(accepted.reports.count == 1)
        #expect(accepted.rejected.isEmpty)
        let refused = try read(bound.refused)
        #expect(refused.rejected == [Rejection(index: 0, reason: bound.reason)])
        #expect(refused.reports.isEmpty)
    }

    @Test func `limits apply to the bytes of the text, not of its escape sequences`() throws {
        let escaped = String(repeating: "\\u00e9", count: 256)
        #expect(try read(#"{"class":"\#(escaped)"}"#).reports.count == 1)
        #expect(
            try read(#"{"class":"\#(escaped)x"}"#).rejected.map(\.reason) == [
                "class is 513 bytes, the limit is 512"
            ])
    }

    @Test func `reports, lines, sessions and checks in one request each have a maximum number`() throws {
        func array(_ count: Int, _ element: String) -> String {
            "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
        }
        let report = #"{"class":"A"}"#
        let limit = WireLimits.reportsCount
        #expect(try read(array(limit, report)).reports.count == limit)
        #expect(throws: WireError.self) { try read(array(limit + 1, report)) }
        #expect(throws: WireError.self) { try read(#"{"reports":\#(array(limit + 1, "{}"))}"#) }
        let lines = String(repeating: report + "\n", count: limit)
        #expect(try read(lines, as: .ndjson).reports.count == limit)
        #expect(throws: WireError.self) { try read(lines + report, as: .ndjson) }
        #expect(try read(#"{"sessions":\#(array(1000, "{}"))}"#).sessions.count == 1000)
        #expect(throws: WireError.self) { try read(#"{"sessions":\#(array(1001, "{}"))}"#) }
        #expect(try read(#"{"checks":\#(array(1000, report))}"#).checks.count == 1000)
        #expect(throws: WireError.self) { try read(#"{"checks":\#(array(1001, report))}"#) }
    }

    @Test(
        arguments: [
            (#"{"checks":[{"class":"A","count":"#, "}]}", 1_000_000, "checks[0].count"),
            (#"{"dropped":{"budget":"#, "}}", 1_000_000, "dropped.budget"),
            (#"{"sessions":[{"id":"s","checks":"#, "}]}", 1_000_000, "sessions[0].checks"),
            (#"{"sessions":[{"id":"s","leaks":"#, "}]}", 1_000_000, "sessions[0].leaks"),
        ] as [(String, String, Int, String)])
    func `each count in sessions, checks and dropped reports has a maximum`(
        head: String, tail: String, limit: Int, field: String
    ) throws {
        #expect(try read(head + "\(limit)" + tail).reportCount == 0)
        for count in [limit + 1, Int.max] {
            #expect {
                try read(head + "\(count)" + tail)
            } throws: {
                ($0 as? WireError)?.reason == "\(field) is \(count), must be an integer from 0 to \(limit)"
            }
        }
    }

    @Test(arguments: [
        (#"{"app":{"id":"a\u001fb"},"reports":[{"class":"A"}]}"#, "app.id"),
        (#"{"app":{"version":"\u0007"},"checks":[]}"#, "app.version"),
        (#"{"device":{"model":"\r"},"reports":[]}"#, "device.model"),
        (#"{"install":"\u0000","reports":[]}"#, "install"), (#"{"user":"\u0001","reports":[]}"#, "user"),
        (#"{"dropped":{"a\u0000":1}}"#, "a name in dropped"),
        ("{\"dropped\":{\"a\u{9F}\":1}}", "a name in dropped"),
    ])
    func `a batch is rejected if one of its names contains a control character`(body: String, field: String) {
        #expect {
            try read(body)
        } throws: {
            ($0 as? WireError)?.reason == "\(field) has a control character"
        }
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max - 1, .max])
    func `any number of milliseconds is accepted as a time and can be formatted`(milliseconds: Int64) throws {
        let time = try #require(try read(#"{"class":"A","at":\#(milliseconds)}"#).reports.first?.at)
        #expect(time.milliseconds == milliseconds)
        #expect(time.rfc3339.utf8.count >= 20)
    }
}
