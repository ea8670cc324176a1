import Foundation
import LeakCollectorSupport
import LeakHTTPClient
import LeakHTTPServer
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import LeakCollector
@testable import LeakStore

/// The rights of each role at each address, and of tokens that are limited to one app.
@Suite struct RoleTests {
    /// The right that each address requires, by method and path. An address of the router that is missing here fails the test.
    private static let permissions: [String: Permission] = [
        "GET /": .read, "GET /api/v1/leaks": .read, "GET /api/v1/summary": .read,
        "GET /leaks/{leak}": .read, "GET /api/v1/leaks/{leak}": .read,
        "GET /api/v1/leaks/{leak}/markdown": .read, "GET /leaks/{leak}/reports": .read,
        "GET /api/v1/leaks/{leak}/reports": .read, "GET /api/v1/leaks/{leak}/trend": .read,
        "GET /classes": .read, "GET /api/v1/classes": .read, "GET /causes": .read,
        "GET /api/v1/causes": .read, "GET /releases": .read, "GET /api/v1/releases": .read,
        "GET /compare": .read, "GET /api/v1/apps": .read,
        "GET /api/v1/check": .check, "GET /api/v1/check/markdown": .check,
        "GET /metrics": .read,
        "POST /leaks/{leak}/decisions": .triage, "GET /leaks/{leak}/decisions": .triage,
        "POST /api/v1/leaks/{leak}/decisions": .triage,
        "GET /api/v1/symbols": .listSymbols, "POST /api/v1/symbols": .uploadSymbols,
        "DELETE /api/v1/symbols/{image}": .administer,
        "POST /releases/current": .administer, "GET /releases/current": .administer,
        "PUT /api/v1/releases/current": .administer, "DELETE /api/v1/releases/current": .administer,
        "DELETE /api/v1/installs/{install}": .administer,
        "GET /forget": .administer, "GET /api/v1/forget": .administer,
        "POST /forget/confirmed": .administer, "GET /forget/confirmed": .administer,
        "GET /api/v1/discarded": .read, "DELETE /api/v1/discarded/{leak}": .administer,
        "POST /releases/discarded": .administer, "GET /releases/discarded": .administer,
        "POST /api/v1/leaks/{leak}/merge": .triage, "GET /api/v1/merges": .read,
        "DELETE /api/v1/merges/{number}": .triage, "GET /merge": .triage,
        "POST /merge/confirmed": .triage, "GET /merge/confirmed": .triage,
        "POST /merge/undo": .triage, "GET /merge/undo": .triage,
        "GET /rules": .read, "GET /api/v1/rules": .read, "PUT /api/v1/rules": .triage,
        "POST /api/v1/rules/preview": .triage, "POST /rules/preview": .triage, "GET /rules/preview": .triage,
        "POST /rules/saved": .triage, "GET /rules/saved": .triage,
        "DELETE /api/v1/keys/{id}/data": .administer,
        "DELETE /api/v1/leaks/{leak}": .administer, "DELETE /api/v1/apps/{app}": .administer,
        "DELETE /api/v1/apps/{app}/environments/{environment}": .administer,
        "DELETE /api/v1/apps/{app}/environments/{environment}/versions/{version}": .administer,
        "GET /access": .administer, "GET /audit": .administer, "GET /api/v1/audit": .administer,
        "GET /events": .read, "GET /api/v1/events": .read, "GET /api/v1/events.atom": .read,
        "GET /retention": .administer, "GET /api/v1/retention": .administer,
        "GET /api/v1/keys": .administer, "POST /api/v1/keys": .administer,
        "PATCH /api/v1/keys/{id}": .administer, "DELETE /api/v1/keys/{id}": .administer,
        "GET /access/keys": .administer, "POST /access/keys": .administer,
        "GET /access/keys/{id}/name": .administer, "POST /access/keys/{id}/name": .administer,
        "GET /access/keys/{id}/revoke": .administer, "POST /access/keys/{id}/revoke": .administer,
        "GET /api/v1/tokens": .administer, "POST /api/v1/tokens": .administer,
        "PATCH /api/v1/tokens/{id}": .administer, "DELETE /api/v1/tokens/{id}": .administer,
        "GET /access/tokens": .administer, "POST /access/tokens": .administer,
        "GET /access/tokens/{id}/name": .administer, "POST /access/tokens/{id}/name": .administer,
        "GET /access/tokens/{id}/revoke": .administer, "POST /access/tokens/{id}/revoke": .administer,
    ]

    /// The addresses that need no access token: anyone may open them, or they need an ingest key.
    private static let addressesWithoutToken: Set = [
        "GET /healthz", "GET /readyz", "GET /sign-in", "POST /sign-in", "POST /sign-out",
        "POST /api/v1/reports", "POST /api/{project}/envelope/", "POST /api/{project}/envelope",
        "POST /api/{project}/store/", "POST /api/{project}/store",
    ]

    /// The rights of each role, and of a token of the role that is limited to an app; `nil` if it cannot be limited.
    private static let rights: [(Credential.Role, [Permission], limited: [Permission]?)] = [
        (.viewer, [.read, .check, .listSymbols], [.read, .check]),
        (.triager, [.read, .check, .triage, .listSymbols], [.read, .check, .triage]),
        (.admin, [.read, .check, .triage, .listSymbols, .uploadSymbols, .administer], nil),
        (.check, [.check], [.check]),
        (.symbols, [.listSymbols, .uploadSymbols], nil),
    ]

    private func name(_ route: Route) -> String { "\(route.method.name) \(route.path)" }

    /// Creates a token, and returns the header field with it.
    private func token(
        _ running: RunningCollector, _ role: Credential.Role, app: String? = nil
    ) throws -> HTTPField {
        let limit = app.map { #","app":"\#($0)""# } ?? ""
        let made = try running.post(
            #"{"name":"\#(role) \#(app ?? "")","role":"\#(role)"\#(limit)}"#, to: "/api/v1/tokens",
            fields: [HTTPField("Authorization", "Bearer \(RunningCollector.token)")])
        #expect(made.status == 201, "\(made.text)")
        return HTTPField("Authorization", "Bearer \(try #require(try made.json["secret"] as? String))")
    }

    private func send(
        _ method: String, _ address: String, _ field: HTTPField, body: String? = nil
    ) async throws -> (status: Int, text: String) {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        request.setValue(field.value, forHTTPHeaderField: field.name)
        let (data, answer) = try await URLSession.shared.data(for: request)
        return (
            try #require(answer as? HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self)
        )
    }

    @Test func `every address is listed with the right that it requires, or as an address without a token`()
        throws
    {
        var found: Set<String> = []
        for route in try RunningCollector().collector.service.routes {
            found.insert(name(route))
            if let permission = route.access.permission {
                #expect(Self.permissions[name(route)] == permission, "\(name(route))")
            } else {
                #expect(Self.addressesWithoutToken.contains(name(route)), "\(name(route))")
                #expect(
                    (route.access == .writers) == route.path.hasPrefix("/api/"), "\(name(route))")
            }
        }
        #expect(found == Set(Self.permissions.keys).union(Self.addressesWithoutToken))
    }

    @Test(arguments: Credential.Role.allCases)
    func `a token of each role is rejected at exactly the addresses whose right it lacks`(
        role: Credential.Role
    ) async throws {
        let running = try RunningCollector()
        let (_, all, limited) = try #require(Self.rights.first { $0.0 == role })
        var tokens = [(try token(running, role), all, false)]
        if let limited { tokens.append((try token(running, role, app: "shop"), limited, true)) }
        for (field, rights, isLimited) in tokens {
            for route in running.collector.service.routes {
                guard let permission = route.access.permission else { continue }
                // No object has these ids, so that an allowed request changes nothing.
                let path = route.path.replacing("{leak}", with: String(repeating: "0", count: 32))
                    .replacing(/\{[a-z]+\}/, with: "999")
                let (status, text) = try await send("\(route.method.name)", running.address + path, field)
                let label = "\(isLimited ? "limited " : "")\(role) at \(name(route)): \(status) \(text)"
                if rights.contains(permission) {
                    #expect(status != 401 && status != 403, "\(label)")
                } else {
                    #expect(status == 403, "\(label)")
                    let problem = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
                    let detail = try #require(problem?["detail"] as? String)
                    for allowed in permission.roles {
                        #expect(detail.contains(allowed.rawValue), "\(label)")
                    }
                }
            }
        }
        // An access token of any role is no ingest key.
        #expect(try running.post(#"{"class":"A"}"#, fields: [tokens[0].0]).status == 401)
    }

    @Test(arguments: [Credential.Purpose.access, .session, .ingest, .signIn])
    func `a credential without a role that this collector knows has no rights`(
        purpose: Credential.Purpose
    ) throws {
        let credential = Credential(purpose: purpose, name: "n", hash: [], role: nil, createdAt: 0)
        for permission in Permission.allCases {
            #expect(throws: Problem.self) { try credential.require(permission) }
        }
    }

    @Test func `an ingest key and a sign-in link have no rights, even with a role`() throws {
        for purpose in [Credential.Purpose.ingest, .signIn] {
            let credential = Credential(purpose: purpose, name: "n", hash: [], role: .admin, createdAt: 0)
            #expect(credential.permissions.isEmpty)
        }
    }

    @Test func `a role that a later collector has stored gives no rights`() throws {
        let running = try RunningCollector()
        let field = try token(running, .admin)
        #expect(try running.get("/api/v1/keys", fields: [field]).status == 200)
        try SQLiteConnection(path: running.folder + "/leaks.sqlite", access: .readWrite).execute(
            "update credential set role = 'owner' where name like 'admin%'")
        var status = 0
        let deadline = ContinuousClock.now + .seconds(30)
        repeat {
            status = try running.get("/api/v1/leaks", fields: [field]).status
        } while status != 403 && ContinuousClock.now < deadline
        #expect(status == 403)
        #expect(try running.get("/api/v1/check?app=a&version=1", fields: [field]).status == 403)
    }

    // MARK: Sessions and pages

    /// Signs in with a token, and returns the fields of the session's requests.
    private func signIn(_ running: RunningCollector, _ token: HTTPField) throws -> [HTTPField] {
        let answer = try running.post(
            "token=\(token.value.dropFirst("Bearer ".count))", "application/x-www-form-urlencoded",
            to: "/sign-in", fields: [])
        let cookie = try #require(answer.field("Set-Cookie"))
        return [
            HTTPField("Cookie", String(cookie.prefix { $0 != ";" })), HTTPField("Origin", running.address),
        ]
    }

    private static let report = #"""
        {"app":{"id":"shop","version":"1.0"},"install":"i","reports":[{"class":"Shop.Cart","stack":["Root","Shop.Cart"]}]}
        """#

    @Test(arguments: [Credential.Role.viewer, .triager, .admin])
    func `pages offer a signed-in person only forms and links that the person may use`(
        role: Credential.Role
    ) throws {
        let running = try RunningCollector()
        let session = try signIn(running, try token(running, role))
        #expect(try running.get("/", fields: session).status == 200)
        #expect(try running.post(Self.report).status == 200)
        let leak = try #require(
            (try running.json("/api/v1/leaks")["leaks"] as? [[String: Any]])?.first?["id"] as? String)
        let pages = [
            "/", "/leaks/\(leak)", "/leaks/\(leak)/reports", "/classes?class=Cart", "/causes", "/releases",
            "/compare?app=shop", "/events", "/nope",
        ]
        var offered: Set<String> = []
        for page in pages {
            let text = try running.get(page, fields: session).text
            #expect(text.contains("Sign out"), "\(page)")
            for match in text.matches(of: /method="post" action="([^"]+)"/) {
                offered.insert("POST \(match.1)")
            }
            for match in text.matches(of: /href="(\/[^"?#]*)/) { offered.insert("GET \(match.1)") }
        }
        #expect(offered.contains("POST /leaks/\(leak)/decisions") == (role != .viewer))
        #expect(offered.contains("POST /releases/current") == (role == .admin))
        #expect(offered.contains("GET /access") == (role == .admin))
        for address in offered where address.hasPrefix("GET ") {
            let status = try running.get(String(address.dropFirst(4)), fields: session).status
            #expect(status != 403, "\(address)")
        }
    }

    @Test func `a signed-in viewer gets a page with the required role in place of a page for admins`() throws
    {
        let running = try RunningCollector()
        let session = try signIn(running, try token(running, .viewer))
        for path in ["/access", "/access/keys"] {
            let page = try running.get(path, fields: session)
            #expect(page.status == 403 && page.field("Location") == nil)
            #expect(page.text.contains("this needs the role admin; this session has the role viewer"))
        }
        let form = try running.post(
            "name=x", "application/x-www-form-urlencoded", to: "/access/keys", fields: session)
        #expect(form.status == 403)
        #expect((try running.json("/api/v1/keys")["keys"] as? [Any])?.count == 1)
    }

    @Test(arguments: [Credential.Role.check, .symbols])
    func `a token whose role reads no pages does not sign in`(role: Credential.Role) throws {
        let running = try RunningCollector()
        let field = try token(running, role)
        let answer = try running.post(
            "token=\(field.value.dropFirst("Bearer ".count))", "application/x-www-form-urlencoded",
            to: "/sign-in", fields: [])
        #expect(answer.status == 403 && answer.field("Set-Cookie") == nil)
        #expect(answer.text.contains("Sign in with a token of the role viewer, triager or admin."))
    }

    @Test func `the cached page of an admin is not sent to a viewer`() throws {
        let running = try RunningCollector()
        #expect(try running.post(Self.report).status == 200)
        let viewer = try token(running, .viewer)
        for _ in 0..<6 {
            #expect(try running.get("/").text.contains(#"href="/access""#))
            #expect(try !running.get("/", fields: [viewer]).text.contains(#"href="/access""#))
        }
    }

    // MARK: Tokens that are limited to one app

    @Test func `a token that is limited to an app sees nothing of other apps at any address`() async throws {
        let running = try RunningCollector()
        let body = { (app: String, mark: String, environment: String) in
            """
            {"app":{"id":"\(app)","version":"\(mark).0","environment":"\(environment)"},"install":"i",
             "reports":[{"class":"\(mark)Class","stack":["Root","\(mark)Class"],"message":"\(mark) message"}]}
            """
        }
        #expect(try running.post(body("shop", "Own", "production")).status == 200)
        #expect(try running.post(body("bank", "Secret", "production")).status == 200)
        #expect(try running.post(body("bank", "Secret", "secretlab")).status == 200)
        let all = try #require(try running.json("/api/v1/leaks?state=any")["leaks"] as? [[String: Any]])
        func id(_ app: String) throws -> String {
            try #require(all.first { $0["app"] as? String == app }?["id"] as? String)
        }
        let (own, other) = (try id("shop"), try id("bank"))
        let field = try token(running, .triager, app: "shop")
        let routes = running.collector.service.routes.filter { route in
            route.method == .get
                && [.read, .check].contains(route.access.permission)
        }
        var ownHits = 0
        for route in routes {
            for leak in [own, other] {
                for query in [
                    "", "?app=shop", "?class=OwnClass", "?class=SecretClass", "?environment=secretlab",
                    "?app=shop&version=Own.0", "?app=shop&version=Secret.0", "?q=Secret", "?state=any",
                ] {
                    let path = route.path.replacing("{leak}", with: leak) + query
                    let answer = try running.get(path, fields: [field])
                    let shown = answer.text.replacing(
                        "SecretClass", with: query.contains("SecretClass") ? "" : "SecretClass"
                    )
                    .replacing("secretlab", with: query.contains("secretlab") ? "" : "secretlab")
                    .replacing("Secret.0", with: query.contains("Secret.0") ? "" : "Secret.0")
                    .replacing("Secret", with: query.contains("q=Secret") ? "" : "Secret")
                    for word in ["Secret", "secretlab", "bank"] {
                        #expect(!shown.contains(word), "\(path) shows \(word)")
                    }
                    if route.path.contains("{leak}"), leak == other {
                        #expect([404, 400].contains(answer.status), "\(path): \(answer.status)")
                    }
                    if answer.text.contains("OwnClass") { ownHits += 1 }
                }
            }
            let named = try running.get(
                route.path.replacing("{leak}", with: own) + "?app=bank&version=Secret.0&class=SecretClass",
                fields: [field])
            #expect([403, 400].contains(named.status), "\(route.path): \(named.status)")
        }
        #expect(ownHits > 20)

        let decision = #"{"action":"ignore","note":"by shop"}"#
        let refused = try await send(
            "POST", "\(running.address)/api/v1/leaks/\(other)/decisions", field, body: decision)
        #expect(refused.status == 404)
        let kept = try running.json("/api/v1/leaks/\(other)")
        #expect(kept["state"] as? String != "ignored")
        let accepted = try await send(
            "POST", "\(running.address)/api/v1/leaks/\(own)/decisions", field, body: decision)
        #expect(accepted.status == 201, "\(accepted.text)")
    }

    @Test func `a session has the role and the app of the token that opened it`() throws {
        let running = try RunningCollector()
        #expect(try running.post(Self.report).status == 200)
        let session = try signIn(running, try token(running, .viewer, app: "mail"))
        #expect((try running.get("/api/v1/leaks", fields: session).json["leaks"] as? [Any])?.isEmpty == true)
        #expect(try running.get("/api/v1/leaks?app=shop", fields: session).status == 403)
        #expect(try running.get("/api/v1/keys", fields: session).status == 403)
    }
}
