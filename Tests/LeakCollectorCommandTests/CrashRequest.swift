import Foundation
import LeakGzip
import LeakHTTPClient
import Testing

/// A request of ``CrashTests`` that changes counts, and its contribution to the collector's counts.
struct CrashRequest: Sendable {
    /// Kinds of requests. A kind that needs a leak comes after the kind that reports the leak.
    enum Kind: CaseIterable, Sendable {
        case single, freed, array, batch, large, text, lines, usage, explained, explanations, envelope, event
    }

    /// Numbers by name, such as "reports of Shop.Single".
    typealias Counts = [String: Int]

    static let app = "crash"
    /// The app whose leaks are new in each request, so that they exceed the limits of an app.
    static let largeApp = "large"

    private(set) var path = "/api/v1/reports"
    private(set) var type = "application/json"
    private(set) var body: [UInt8] = []
    private(set) var fields: [HTTPField] = []
    private(set) var counts: Counts = [:]

    /// - Parameters:
    ///   - id: the `Idempotency-Key`.
    ///   - isPacked: `true` to compress the body with gzip.
    init(_ kind: Kind, id: String, install: String, isPacked: Bool = .random()) {
        fields = [
            HTTPField("Authorization", "Bearer \(CollectorProcess.key)"), HTTPField("Idempotency-Key", id),
        ]
        fill(kind, id: id, install: install)
        if isPacked {
            body = Gzip.deflate(body)
            fields.append(HTTPField("Content-Encoding", "gzip"))
        }
        fields.append(HTTPField("Content-Type", type))
    }

    private mutating func fill(_ kind: Kind, id: String, install: String) {
        let head = #""app":{"id":"\#(Self.app)","version":"1.0"},"install":"\#(install)""#
        let number = Int.random(in: 1...5)
        func list(_ element: String, separator: String = ",") -> String {
            Array(repeating: element, count: number).joined(separator: separator)
        }
        switch kind {
        case .single:
            set(#"{\#(head),"class":"Shop.Single","count":\#(number)}"#, reports: number, of: "Shop.Single")
        case .freed:
            set(#"{\#(head),"type":"freed","class":"Shop.Single"}"#)
            counts["freed of Shop.Single"] = 1
        case .array:
            set("[\(list(#"{\#(head),"class":"Shop.Array"}"#))]", reports: number, of: "Shop.Array")
        case .batch:
            let reports = list(#"{"class":"Shop.Batch","stack":["Shop.Home","Shop.Batch"]}"#)
            set(#"{\#(head),"user":"u","reports":[\#(reports)]}"#, reports: number, of: "Shop.Batch")
        case .large:
            let reports = (0..<120).map { #"{"class":"Shop.Screen_\#(id)_\#($0)"}"# }
            set(
                #"{"app":{"id":"\#(Self.largeApp)"},"install":"\#(install)","reports":[\#(reports.joined(separator: ","))]}"#
            )
            counts["reports in \(Self.largeApp)"] = 120
        case .text:
            path += "?app=\(Self.app)&version=1.0"
            type = "text/plain"
            set("Expected deallocation of Shop.Text", reports: 1, of: "Shop.Text")
        case .lines:
            type = "application/x-ndjson"
            set(
                list(#"{\#(head),"class":"Shop.Line"}"#, separator: "\n"), reports: number, of: "Shop.Line")
        case .usage: fillUsage(head, id: id, number)
        case .explanations:
            set(#"{\#(head),"explanations":[\#(list("{\(Self.explained)}"))]}"#)
            counts["explanations"] = number
        case .explained:
            set("{\(head),\(Self.explained)}", reports: 1, of: "Shop.Explained")
            counts["explanations"] = 1
        case .envelope, .event: fillEvent(inEnvelope: kind == .envelope, install: install, number)
        }
    }

    private static let explained =
        #""class":"Shop.Explained","why":{"confidence":"proven","is_cycle":true,"target":"Shop.Explained","#
        + #""path":[{"owner":"Shop.Explained","field":"onPaid","kind":"property","closure":true}]}"#

    private mutating func set(_ text: String, reports: Int = 0, of name: String = "") {
        body = Array(text.utf8)
        guard reports > 0 else { return }
        counts["reports"] = reports
        counts["reports of \(name)"] = reports
    }

    private mutating func fillUsage(_ head: String, id: String, _ number: Int) {
        let sessions = (0..<number).map { #"{"id":"\#(id)-\#($0)","checks":2,"leaks":\#($0 == 0 ? 1 : 0)}"# }
        set(
            #"{\#(head),"sessions":[\#(sessions.joined(separator: ","))],"#
                + #""checks":[{"class":"Shop.Single","count":\#(number)}],"dropped":{"budget":\#(number)}}"#)
        counts = ["sessions": number, "leaky sessions": 1, "checks": number, "dropped: budget": number]
    }

    /// Fills the request with a Sentry event. If the event is sent again, the collector recognizes its `event_id`.
    private mutating func fillEvent(inEnvelope isEnvelope: Bool, install: String, _ number: Int) {
        let id = UUID().uuidString.lowercased().filter { $0 != "-" }
        fields = [
            HTTPField(
                "X-Sentry-Auth",
                "Sentry sentry_key=\(CollectorProcess.key), sentry_version=7, sentry_client=test/1")
        ]
        let event =
            #"{"event_id":"\#(id)","release":"\#(Self.app)@1.0","user":{"id":"\#(install)"},"#
            + #""message":"it is still in memory","contexts":{"leak":{"class":"Shop.Event","count":\#(number)}}}"#
        guard isEnvelope else {
            path = "/api/1/store/"
            return set(event, reports: number, of: "Shop.Event")
        }
        path = "/api/1/envelope/"
        type = "application/x-sentry-envelope"
        let lost =
            #"{"discarded_events":[{"reason":"network_error","category":"error","quantity":\#(number)}]}"#
        let items = [("event", event), ("client_report", lost)].map { kind, item in
            "{\"type\":\"\(kind)\",\"length\":\(item.utf8.count)}\n\(item)\n"
        }
        set("{\"event_id\":\"\(id)\"}\n" + items.joined(), reports: number, of: "Shop.Event")
        counts["dropped: sentry_network_error"] = number
    }
}

extension HTTPClient {
    /// Returns a client that accepts the long lists of this suite. It waits up to ten minutes, so that a busy machine does
    /// not fail the test.
    static func forCrashTests() throws -> HTTPClient {
        var options = Options()
        options.maxResponseBytes = 4 * 1024 * 1024
        options.usesProxy = false
        (options.connectMilliseconds, options.totalMilliseconds) = (600_000, 600_000)
        return try HTTPClient(options)
    }

    func send(_ request: CrashRequest, to address: String) throws -> HTTPResponse {
        try post(request.body, to: address + request.path, fields: request.fields)
    }

    /// Returns the sums that the collector has counted for such requests. Sums of 0 are left out.
    func crashCounts(at address: String) throws -> CrashRequest.Counts {
        var counts: CrashRequest.Counts = [:]
        func add(_ name: String, _ value: Any?) throws {
            counts[name, default: 0] += try #require(value as? Int)
        }
        let app = CrashRequest.app
        let summary = try json("/api/v1/summary?app=\(app)", at: address)
        try add("reports", summary["reports"])
        for part in try #require(summary["dropped"] as? [[String: Any]]) {
            try add("dropped: \(part["reason"] ?? "")", part["count"])
        }
        for release in try #require(
            json("/api/v1/releases?app=\(app)", at: address)["releases"] as? [[String: Any]])
        {
            try add("sessions", release["sessions"])
            try add("leaky sessions", release["leaky_sessions"])
            try add("checks", release["checks"])
        }
        let list = try json("/api/v1/leaks?app=\(app)&state=any&limit=200", at: address)
        for leak in try #require(list["leaks"] as? [[String: Any]]) {
            let name = [leak["module"], leak["class"]].compactMap { $0 as? String }.joined(separator: ".")
            try add("reports of \(name)", leak["reports"])
            try add("freed of \(name)", leak["freed"])
            guard name == "Shop.Explained" else { continue }
            let detail = try json("/api/v1/leaks/\(leak["id"] ?? "")", at: address)
            if let why = detail["why"] as? [String: Any] { try add("explanations", why["explained"]) }
        }
        let large = CrashRequest.largeApp
        try add("reports in \(large)", json("/api/v1/summary?app=\(large)", at: address)["reports"])
        return counts.filter { $0.value != 0 }
    }
}
