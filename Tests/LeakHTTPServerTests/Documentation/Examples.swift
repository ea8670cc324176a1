// The code examples of the documentation, so that the compiler checks them. `DocumentationTests` compares this file with the
// documentation.

import Foundation
import LeakHTTPServer

enum Examples {
    /// The first article. It is compiled but not run, because it waits for signals.
    static func gettingStarted() throws {
        let signals = StopSignals()

        var routes = Routes()
        routes.on(.get, "/hello/{name}") { _, parameters in
            .text("Hello, \(parameters["name"] ?? "nobody")!\n")
        }
        routes.on(.post, "/shout") { request, _ in
            .text(String(decoding: request.body(), as: UTF8.self).uppercased())
        }

        let server = try Server(.init(port: 8080), service: routes)
        server.start()
        print("listening on http://localhost:\(server.port)")

        signals.wait()
        signals.endAtOnce()
        server.stop(within: .seconds(10))
    }

    /// The example of the landing page and of ``Routes``.
    static func landing() throws -> Server {
        var routes = Routes()
        routes.on(.get, "/hello/{name}") { _, parameters in .text("Hello, \(parameters["name"] ?? "")!\n") }
        let server = try Server(.init(port: 8080), service: routes)
        return server
    }

    static func later() -> Routes {
        var routes = Routes()
        routes.on(.get, "/report") { _, _, responder in
            let later = SharedResponder(responder)
            Thread.detachNewThread { later.send(.text(makeReport())) }
        }
        return routes
    }

    private static func makeReport() -> String { "all is well\n" }

    struct Library: Service {
        enum Page { case shelf, book }

        let router = Router<Page>([
            (.get, "/books", .shelf),
            (.get, "/books/{id}", .book),
        ])

        final class FoundPage: Sendable {
            let page: Page
            let parameters: Parameters

            init(_ page: Page, _ parameters: Parameters) { (self.page, self.parameters) = (page, parameters) }
        }

        func screen(_ request: borrowing Request) -> ScreeningResult {
            guard request.field("authorization", equals: "Bearer sesame") else {
                return ScreeningResult(.problem(.unauthorized, "This library asks for a word."))
            }
            let match = router.match(request)
            guard case .found(let page, let parameters) = match else { return ScreeningResult(match.refusal) }
            return ScreeningResult(context: FoundPage(page, parameters))
        }

        func serve(_ request: borrowing Request, _ responder: consuming Responder) {
            guard let found = request.context as? FoundPage else { return }
            switch found.page {
            case .shelf: responder.send(.text("1\n2\n"))
            case .book: responder.send(.text("book \(found.parameters["id"] ?? "")\n"))
            }
        }
    }

    static func files() throws -> Routes {
        let files = try StaticFiles(folder: "Public")
        var site = Routes(files: files)
        site.on(.get, "/time") { _, _ in .text("\(Date())\n") }
        return site
    }

    static func limits(_ routes: Routes) throws -> Server {
        var limits = Limits()
        limits.bodyBytes = 8 << 20
        limits.connections = 4096
        let large = try Server(.init(port: 8080, loops: 4, limits: limits), service: routes)
        return large
    }

    static func watching(_ routes: Routes) throws -> Server {
        let log = AccessLog(to: 1, as: .json)
        var configuration = Server.Configuration(port: 8080)
        configuration.onAnswer = { record in
            var record = record
            record.maskQuery(["token"])
            log.write(record)
        }
        configuration.onSlowCall = { call in print("\(call.path) took \(call.duration)") }
        let watched = try Server(configuration, service: routes)
        return watched
    }

    enum Books { case list, book }

    static func router() -> Router<Books> {
        let router = Router<Books>([
            (.get, "/books", .list),
            (.get, "/books/{id}", .book),
        ])
        return router
    }
}
