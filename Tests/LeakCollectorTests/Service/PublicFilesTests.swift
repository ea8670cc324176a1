import Foundation
import LeakCollectorSupport
import LeakHTTPServer
import Testing

@testable import LeakCollector

/// The files in `Public/`: they match the references of the pages, the error pages are well formed, and the API description has
/// every route.
@Suite struct PublicFilesTests {
    private static let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }
    .appendingPathComponent("Public")

    private func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: Self.folder.appendingPathComponent(name)), as: UTF8.self)
    }

    @Test func `the style sheet has a rule for every CSS class of the pages`() throws {
        let style = try text("style.css")
        let classes = try SamplePage.allCases.reduce(into: Set<String>()) {
            try $0.formUnion(Markup($1.html.bytes).classes)
        }
        #expect(classes.count > 30)
        for name in classes.sorted() { #expect(style.contains("." + name), ".\(name)") }
    }

    @Test func `the style sheet loads no other file`() throws {
        let style = try text("style.css")
        #expect(!style.contains("url(") && !style.contains("@import"))
    }

    @Test(arguments: ["404", "500", "502", "503"])
    func `the static error pages are well formed`(status: String) throws {
        let markup = try Markup(Array(text("errors/\(status).html").utf8))
        #expect(markup.links.contains("/style.css"))
        #expect(markup.texts.contains(status))
    }

    @Test func `the API description has every route of the API and no broken references`() throws {
        let object = try JSONSerialization.jsonObject(with: Data(text("openapi.json").utf8))
        let document = try #require(object as? [String: Any])
        #expect(document["openapi"] as? String == "3.1.0")
        let paths = try #require(document["paths"] as? [String: Any])
        let described = paths.flatMap { path, item in
            ((item as? [String: Any]) ?? [:]).keys.map { "\($0.uppercased()) \(Self.withoutNames(path))" }
        }
        let others = ["/healthz", "/readyz", "/sign-in", "/metrics"]
        let answered = try RunningCollector().collector.service.routes.filter {
            $0.path.hasPrefix("/api/") || others.contains($0.path)
        }.map { "\($0.method.name) \(Self.withoutNames($0.path))" }
        // The two paths for Sentry SDKs are also accepted without a slash at the end.
        let undescribed = ["POST /api/{}/envelope", "POST /api/{}/store"]
        #expect((described + undescribed).sorted() == answered.sorted())
        var references = 0
        check(document, in: document, &references)
        #expect(references > 50)
    }

    /// Returns a path whose parameters have no names.
    private static func withoutNames(_ path: String) -> String { path.replacing(/{[a-z]+}/, with: "{}") }

    private func check(_ value: Any, in document: [String: Any], _ references: inout Int) {
        if let object = value as? [String: Any] {
            if let reference = object["$ref"] as? String {
                references += 1
                var target: Any? = document
                for step in reference.dropFirst(2).split(separator: "/") {
                    target = (target as? [String: Any])?[String(step)]
                }
                #expect(target != nil, "\(reference)")
            }
            for part in object.values { check(part, in: document, &references) }
        } else if let array = value as? [Any] {
            for part in array { check(part, in: document, &references) }
        }
    }
}
