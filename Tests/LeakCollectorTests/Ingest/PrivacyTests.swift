import LeakSeededRandom
import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakMessage
import Testing

@testable import LeakCollector

/// Text that users typed or read arrives inside messages and is stored nowhere.
@Suite struct PrivacyTests {
    /// The prefix of every secret. Tests search for it in any case.
    private static let mark = "Zq7Xk"
    /// A name that is sent as a class. It must be stored and shown, which proves that the search for secrets works.
    private static let control = "Zq8ControlController"

    private static let neighbours = [
        "", " ", "'", "\"", "it's ", "' and '", "\", \"", "; text = '", "'>", ">", "\n", "\\", "100% ", "<b>",
        "(", "🔑",
        "Löschen? ", " after 5s ", "title: \"", "'; layer = <CALayer: 0x2f>>", "<A: 0x3f>",
    ]

    private static func reports(_ random: inout SeededRandom) -> [LeakReport] {
        func typed() -> String {
            let front = random.element(of: neighbours)
            return front + mark + random.hexadecimal(8) + random.element(of: neighbours)
        }
        var reports: [LeakReport] = []
        for make in PrivatePlaces.messages + PrivatePlaces.cutMessages {
            for place in 0..<4 {
                var report = LeakReport()
                let text = make(place == 0 ? mark : typed())
                if place == 2 {
                    report.error = ReportedError(
                        domain: "d", code: 8,
                        userInfo: [
                            CustomKey("mail", .string(typed())),
                            CustomKey(ReportedError.descriptionKey, .string(text)),
                        ])
                } else {
                    report.message = text
                }
                if place == 3 { report.className = "Shop.Named" }
                reports.append(report)
            }
        }
        for make in PrivatePlaces.cutQuotations {
            var report = LeakReport()
            report.message = make("it's \(mark)\(random.hexadecimal(8)) ")
            reports.append(report)
        }
        for make in PrivatePlaces.names {
            for place in 0..<5 {
                var report = LeakReport()
                report.className = place == 0 ? make(typed()) : place == 3 ? nil : "Shop.Listed"
                if place == 1 { report.stack = [make(typed()), "Shop.Listed"] }
                if place == 2 { report.children = [make(typed())] }
                if place == 3 { report.cycle = [make(typed()), "Shop.Listed"] }
                if place == 3 { report.message = "Retain Cycle: Fail to find a retain cycle" }
                if place == 4 { report.stack = ["Root", make(mark)] }
                reports.append(report)
            }
        }
        for make in PrivatePlaces.names {
            var report = LeakReport()
            report.error = ReportedError(domain: make(mark), code: 7)
            reports.append(report)
            let reference = RetainReference(owner: make(mark), field: make(mark), kind: .property)
            let path = RetainPath(references: [reference], target: make(mark), isCycle: false)
            report = LeakReport()
            report.className = "Shop.Explained"
            var explanation = RetainExplanation()
            (explanation.path, explanation.furtherCycles, explanation.confidence) = (path, [path], .suspected)
            report.explanation = explanation
            reports.append(report)
        }
        for make in PrivatePlaces.words {
            var report = LeakReport()
            report.className = "Shop.Worded"
            report.log = [make(typed())]
            report.keys = [CustomKey("k", .string(make(typed())))]
            report.reason = make(typed())
            reports.append(report)
            report.fingerprint = [make(typed()), "b"]
            reports.append(report)
        }
        return reports
    }

    @Test(arguments: [1, 2, 3])
    func `no secret reaches the database, a response or a page`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let running = try RunningCollector()
        let reports = Self.reports(&random)
        let bodies = reports.map { String(decoding: $0.json(), as: UTF8.self) }
        let typed = "<UILabel: 0x1f; text = '\(Self.mark)'>"
        let batch = """
            {"app":{"id":"a","version":"1"},"checks":[{"class":"\(typed)","count":3},{"class":"\(Self.control)","count":3}],
             "reports":[{"class":"\(Self.control)"},\(bodies.joined(separator: ","))]}
            """
        let answer = try running.post(
            batch,
            fields: [
                .init("Authorization", "Bearer \(RunningCollector.key)"), .init("Idempotency-Key", "once"),
            ])
        #expect(answer.text.hasPrefix(#"{"accepted":\#(reports.count + 1),"#), "\(answer.text.prefix(400))")
        for report in reports {
            guard let message = report.message else { continue }
            #expect(try running.post(message, "text/plain", to: "/api/v1/reports?app=a").status == 200)
        }
        #expect(try running.post(bodies.joined(separator: "\n"), "application/x-ndjson").status == 200)

        #expect(try Self.filesContaining(Self.control, in: running.folder).isEmpty == false)
        #expect(try Self.filesContaining(Self.mark, in: running.folder) == [])
        try Self.expectNoSecret(app: "a", running)
        try Self.expectNoSecret(app: "default", running)
    }

    /// Reads every response and page about an app's leaks, and records an issue if one contains a secret.
    private static func expectNoSecret(app: String, _ running: RunningCollector) throws {
        var paths = [
            "/?app=\(app)", "/releases?app=\(app)", "/api/v1/summary?app=\(app)",
            "/api/v1/releases?app=\(app)",
        ]
        var cursor: String?
        var seesControl = false
        repeat {
            let path = "/api/v1/leaks?app=\(app)&limit=50" + (cursor.map { "&cursor=\($0)" } ?? "")
            let list = try running.get(path)
            expectNoSecret(in: list.text, path)
            seesControl = seesControl || list.text.contains(control)
            cursor = try list.json["next"] as? String
            for leak in try list.json["leaks"] as? [[String: Any]] ?? [] {
                let id = leak["id"] as? String ?? ""
                paths += [
                    "/leaks/\(id)", "/leaks/\(id)/reports", "/api/v1/leaks/\(id)",
                    "/api/v1/leaks/\(id)/reports",
                ]
            }
        } while cursor != nil
        #expect(seesControl == (app == "a"))
        for path in paths {
            let answer = try running.get(path)
            #expect(answer.status == 200)
            expectNoSecret(in: answer.text, path)
        }
        #expect(try running.json("/api/v1/leaks?app=\(app)&q=\(mark)")["total"] as? Int == 0)
    }

    private static func expectNoSecret(in text: String, _ path: String) {
        guard let range = text.range(of: mark, options: .caseInsensitive) else { return }
        let around = text[..<range.upperBound].suffix(300)
        Issue.record("\(path): \(around)")
    }

    /// Returns the files of a folder that contain `text` in any case.
    private static func filesContaining(_ text: String, in folder: String) throws -> [String] {
        let wanted = Array(text.lowercased().utf8)
        return try FileManager.default.subpathsOfDirectory(atPath: folder).filter { name in
            guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { return false }
            let bytes = data.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
            return bytes.firstRange(of: wanted) != nil
        }
    }
}
