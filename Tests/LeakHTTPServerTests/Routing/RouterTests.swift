import Foundation
import Testing

@testable import LeakHTTPServer

@Suite struct RouterTests {
    /// Patterns that overlap in every possible way; the endpoint of each is the pattern itself.
    private static let patterns = [
        "/", "/a", "/a/", "/a/b", "/a/{x}", "/a/{x}/c", "/a/b/d", "/{y}/b/e", "/a/{x}/c/{z}", "/ä/{x}",
        "/a b",
    ]

    private static func router(_ patterns: [String]) -> Router<String> {
        Router(patterns.map { (.get, $0, $0) })
    }

    private static func find(_ path: String, in router: Router<String>, _ names: [String] = []) -> String? {
        guard case .found(let pattern, let parameters) = match(.get, path, in: router) else { return nil }
        return ([pattern] + names.map { "\($0)=\(parameters[$0] ?? "")" }).joined(separator: " ")
    }

    private static func match(
        _ method: LeakHTTPServer.Method, _ path: String, in router: Router<String>
    ) -> Router<String>.Match {
        let bytes = Array(path.utf8)
        return router.match(method, path: bytes.span)
    }

    @Test(arguments: [
        ("/", "/", []), ("/a", "/a", []), ("/a/", "/a/", []), ("/a/b", "/a/b", []),
        ("/a/q", "/a/{x} x=q", ["x"]),
        // If no pattern with the literal segment matches the rest, a parameter at the same position is tried.
        ("/a/b/c", "/a/{x}/c x=b", ["x"]), ("/a/b/d", "/a/b/d", []), ("/a/b/e", "/{y}/b/e y=a", ["y"]),
        ("/q/b/e", "/{y}/b/e y=q", ["y"]),
        ("/a/1/c/2", "/a/{x}/c/{z} x=1 z=2", ["x", "z"]),
        ("/ä/ö", "/ä/{x} x=ö", ["x"]), ("/a b", "/a b", []), ("/a/{x}", "/a/{x} x={x}", ["x"]),
        ("/a/..", "/a/{x} x=..", ["x"]), ("/a/%2F", "/a/{x} x=%2F", ["x"]),
    ])
    func `a route is found, for every order in which the patterns were added`(
        path: String, found: String, names: [String]
    ) {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<20 {
            let patterns = Self.patterns.shuffled(using: &random)
            #expect(Self.find(path, in: Self.router(patterns), names) == found, "\(patterns)")
        }
    }

    @Test(arguments: [
        "", "a", "//", "//a", "/a//", "/a//c", "/A", "/a/b/", "/a/b/c/", "/a/b/d/f", "/q", "/q/",
        "/a/b/c/d/e",
        "/a\u{301}", "/a/\u{0}/q/", "/a\u{308}/x",
    ])
    func `a path without a matching pattern has no route`(path: String) {
        #expect(Self.find(path, in: Self.router(Self.patterns)) == nil)
        guard case .notFound = Self.match(.options, path, in: Self.router(Self.patterns)) else {
            Issue.record("OPTIONS finds what GET does not")
            return
        }
    }

    @Test(arguments: [
        ("/read", "GET, HEAD, OPTIONS"), ("/write", "POST, OPTIONS"), ("/both", "GET, HEAD, POST, OPTIONS"),
        ("/own/7", "HEAD, DELETE, OPTIONS"), ("/all", "GET, HEAD, PUT, PATCH, OPTIONS"),
    ])
    func `a request with a method that its path lacks gets a list of the path's methods`(
        path: String, allow: String
    ) throws {
        let router = Router<String>([
            (.post, "/both", "1"), (.get, "/read", "2"), (.post, "/write", "3"), (.get, "/both", "4"),
            (.delete, "/own/{id}", "5"), (.head, "/own/{id}", "6"), (.options, "/all", "7"),
            (.patch, "/all", "8"), (.put, "/all", "9"), (.get, "/all", "10"),
        ])
        let answered = Set(allow.components(separatedBy: ", "))
        for method in LeakHTTPServer.Method.allCases {
            let match = Self.match(method, path, in: router)
            let refusal = match.refusal
            switch match {
            case .found:
                #expect(answered.contains("\(method.name)"))
                #expect(refusal == nil)
            case .methodNotAllowed(let methods):
                #expect(methods == allow && !answered.contains("\(method.name)"))
                #expect(refusal?.status == .methodNotAllowed)
                #expect(refusal?.fields.map(\.value) == [allow])
            case .options(let methods):
                #expect(methods == allow && method == .options)
                #expect(refusal?.status == .noContent)
                #expect(refusal?.fields.map(\.value) == [allow])
            case .notFound: Issue.record("\(method) \(path)")
            }
        }
    }

    @Test func `HEAD finds the route of GET, unless it has an endpoint of its own`() {
        let router = Router<String>([
            (.get, "/a", "get"), (.get, "/b", "get"), (.head, "/b", "head"), (.head, "/c", "head"),
            (.get, "/c", "get"),
        ])
        for (path, expected) in [("/a", "get"), ("/b", "head"), ("/c", "head")] {
            guard case .found(let endpoint, _) = Self.match(.head, path, in: router) else {
                Issue.record("HEAD \(path)")
                continue
            }
            #expect(endpoint == expected)
        }
    }

    @Test func `for random paths, the router finds the same pattern as a comparison with each pattern`() {
        var random = SystemRandomNumberGenerator()
        let segments = ["a", "b", "c", "", "ä", "{x}"]
        func path(_ count: Int) -> String {
            (0..<count).map { _ in "/" + (segments.randomElement(using: &random) ?? "") }.joined()
        }
        let router = Self.router(Self.patterns)
        for _ in 0..<20_000 {
            let path = path(Int.random(in: 1...5, using: &random))
            // At the first segment in which two patterns differ, a literal takes precedence over a parameter.
            let fitting = Self.patterns.filter { Self.fits(path, $0) }.min {
                zip($0.split(separator: "/"), $1.split(separator: "/")).first { $0 != $1 }
                    .map { left, right in right.hasPrefix("{") && !left.hasPrefix("{") } ?? false
            }
            #expect(Self.find(path, in: router) == fitting, "\(path)")
        }
    }

    private static func fits(_ path: String, _ pattern: String) -> Bool {
        let (parts, wanted) = (path.components(separatedBy: "/"), pattern.components(separatedBy: "/"))
        return parts.count == wanted.count
            && zip(parts, wanted).allSatisfy { $1.hasPrefix("{") ? !$0.isEmpty : $0 == $1 }
    }

    @Test(arguments: [
        "a", "", "/a//b", "//", "/{x", "/x}", "/a{x}", "/{x}b", "/{}", "/{x}/{x}", "/{{x}}",
    ])
    func `an invalid pattern stops the program`(pattern: String) async {
        await #expect(processExitsWith: .failure) { [pattern] in _ = Pattern(pattern) }
    }

    @Test func `a duplicate route stops the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = Router<Int>([(.get, "/a/{x}", 1), (.get, "/a/{x}", 2)])
        }
        await #expect(processExitsWith: .failure) {
            _ = Router<Int>([(.get, "/a/{x}", 1), (.post, "/a/{y}", 2)])
        }
    }
}
