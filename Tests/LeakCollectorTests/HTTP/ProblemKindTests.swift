import Foundation
import LeakCollectorSupport
import Testing

@testable import LeakCollector
@testable import LeakHTTPServer

/// The kinds of problems, their types and their descriptions in docs/PROBLEMS.md.
@Suite struct ProblemKindTests {
    private static func page() throws -> String {
        let top = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent()
        }
        return try String(contentsOf: top.appendingPathComponent("docs/PROBLEMS.md"), encoding: .utf8)
    }

    @Test func `docs PROBLEMS has a section for each kind, and no other`() throws {
        let headings = try Self.page().split(separator: "\n").filter { $0.hasPrefix("### ") }
        #expect(headings.map { String($0.dropFirst(4)) } == ProblemKind.allCases.map(\.rawValue).sorted())
    }

    @Test func `each section begins with the status, and has a cause and a remedy`() throws {
        for section in try Self.page().split(separator: "\n### ").dropFirst() {
            let lines = section.split(separator: "\n")
            #expect(lines[1].contains(#/^[45][0-9][0-9]\. /#), "\(lines[0])")
            #expect(section.split(separator: ". ").count >= 2, "\(lines[0])")
        }
    }

    @Test(arguments: RequestError.allCases)
    func `each rejection by the server itself has a kind with the same type`(error: RequestError) {
        let status = error.status
        #expect(ProblemKind(status: status).type == status.problemType)
    }

    @Test func `a problem without a kind of its own has the kind of its status`() {
        #expect(Problem(.notFound, "x").kind == .notFound)
        #expect(Problem(.conflict, "x").kind == .conflict)
        #expect(Problem(.internalServerError, "x").kind == .internalError)
        #expect(Problem(Status(418), "x").kind == .badRequest)
        #expect(Problem(Status(599), "x").kind == .internalError)
    }

    @Test(arguments: [
        ("GET", "/api/v1/nope", "not-found"), ("GET", "/api/v1/leaks?x=1", "invalid-parameter"),
        ("GET", "/api/v1/leaks?limit=x", "invalid-parameter"),
        ("DELETE", "/api/v1/leaks", "method-not-allowed"),
    ])
    func `the type of a problem ends with its kind`(method: String, path: String, kind: String) throws {
        let running = try RunningCollector()
        let answer = method == "GET" ? try running.get(path) : try running.delete(path)
        #expect(try answer.json["type"] as? String == "urn:leak-collector:problem:\(kind)")
    }

    @Test func `problems of reports have kinds of their own`() throws {
        let running = try RunningCollector()
        let kind = { (body: String) in
            (try running.post(body).json["type"] as? String)?.split(separator: ":").last.map(String.init)
        }
        #expect(try kind("{") == "invalid-reports")
        #expect(try kind(#"{"reports":[]}"#) == "empty-batch")
        #expect(try kind(#"{"reports":[{"class":7}]}"#) == "invalid-reports")
        #expect(
            try running.post("{}", "text/html").json["type"] as? String
                == ProblemKind.unsupportedMediaType.type)
        #expect(try running.post("{}", fields: []).json["type"] as? String == ProblemKind.unauthorized.type)
    }
}
