import LeakCollectorSupport
import Foundation
import LeakHTTPClient
import LeakHTTPServer
import LeakStore
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@testable import LeakCollector

/// Ingest keys and access tokens over real sockets: created, renamed and revoked by forms and by the API.
@Suite struct CredentialsServedTests {
    private static let form = "application/x-www-form-urlencoded"
    private static let bearer = HTTPField("Authorization", "Bearer \(RunningCollector.token)")

    /// Signs in with the access token, and returns the fields `Cookie` and `Origin` of its session.
    private func sessionFields(_ running: RunningCollector) throws -> [HTTPField] {
        let answer = try running.post(
            "token=\(RunningCollector.token)", Self.form, to: "/sign-in", fields: [])
        let cookie = try #require(answer.field("Set-Cookie"))
        return [
            HTTPField("Cookie", String(cookie.prefix { $0 != ";" })), HTTPField("Origin", running.address),
        ]
    }

    /// Returns the texts of the page's `pre` elements.
    private func preTexts(_ page: HTTPResponse) -> [String] {
        page.text.components(separatedBy: "<pre>").dropFirst().compactMap {
            $0.components(separatedBy: "</pre>").first
        }
    }

    /// Sends a report, and returns the status of the response.
    private func reportStatus(_ running: RunningCollector, key: String, app: String = "a") throws -> Int {
        try running.post(
            #"{"class":"One"}"#, to: "/api/v1/reports?app=\(app)", fields: [HTTPField("X-Leak-Key", key)]
        ).status
    }

    @Test func `an ingest key that a form creates is shown once, and works immediately for its app only`()
        throws
    {
        let running = try RunningCollector()
        let fields = try sessionFields(running)
        let page = try running.post(
            "name=phone+%3C1%3E&app=shop", Self.form, to: "/access/keys", fields: fields)
        #expect(page.status == 201 && page.field("Cache-Control") == "no-store" && page.field("ETag") == nil)
        let secret = try #require(preTexts(page).first)
        #expect(secret.count == 40)
        #expect(preTexts(page).count == 4 && preTexts(page).dropFirst().allSatisfy { $0.contains(secret) })
        #expect(try reportStatus(running, key: secret, app: "shop") == 200)
        #expect(try reportStatus(running, key: secret, app: "other") == 403)
        let access = try running.get("/access", fields: fields)
        #expect(access.text.contains("phone &lt;1&gt;") && !access.text.contains(secret))
    }

    @Test func `a form renames or revokes an ingest key, and redirects to the list of keys`() throws {
        let running = try RunningCollector()
        let fields = try sessionFields(running)
        let made = try running.post(#"{"name":"old"}"#, to: "/api/v1/keys", fields: [Self.bearer])
        let (secret, id) = (
            try #require(try made.json["secret"] as? String), try #require(try made.json["id"] as? Int)
        )
        let renamed = try running.post("name=new", Self.form, to: "/access/keys/\(id)/name", fields: fields)
        #expect(renamed.status == 303 && renamed.field("Location") == "/access#keys")
        #expect(try running.get("/access", fields: fields).text.contains(">new<"))
        #expect(try reportStatus(running, key: secret) == 200)
        let revoked = try running.post("", Self.form, to: "/access/keys/\(id)/revoke", fields: fields)
        #expect(revoked.status == 303 && revoked.field("Location") == "/access#keys")
        #expect(try reportStatus(running, key: secret) == 403)
        let again = try running.post("", Self.form, to: "/access/keys/\(id)/revoke", fields: fields)
        #expect(again.status == 404 && again.text.contains("there is no key \(id), or it was revoked"))
    }

    @Test func `a new ingest key has a DSN that works immediately, and a new access token has no DSN`()
        throws
    {
        let running = try RunningCollector()
        let key = try running.post(#"{"name":"k"}"#, to: "/api/v1/keys", fields: [Self.bearer]).json
        let (secret, id) = (try #require(key["secret"] as? String), try #require(key["id"] as? Int))
        let dsn = try #require(key["dsn"] as? String)
        #expect(dsn == running.collector.address.replacing("://", with: "://\(secret)@") + "/\(id)")
        let answer = try running.postEnvelope(
            SentryCapture.message.bytes, to: "/api/\(id)/envelope/",
            fields: [HTTPField("X-Sentry-Auth", "Sentry sentry_key=\(secret)")])
        #expect(answer.status == 200)
        let token = try running.post(
            #"{"name":"t","role":"viewer"}"#, to: "/api/v1/tokens", fields: [Self.bearer]
        ).json
        #expect(token["secret"] != nil && token["dsn"] == nil)
    }

    @Test func `revoking an access token ends the sign-in sessions that were opened with it`() throws {
        let running = try RunningCollector()
        let fields = try sessionFields(running)
        let tokens = try #require(try running.json("/api/v1/tokens")["tokens"] as? [[String: Any]])
        let id = try #require(tokens.first?["id"] as? Int)
        #expect(
            try running.post("", Self.form, to: "/access/tokens/\(id)/revoke", fields: fields).status == 303)
        #expect(try running.get("/access", fields: fields).status == 303)
        #expect(try running.get("/api/v1/leaks").status == 403)
    }

    @Test(arguments: [
        ("name=", "name is 0 bytes, must be 1 to 128"), ("", "name is 0 bytes, must be 1 to 128"),
        ("name=\(String(repeating: "n", count: 129))", "name is 129 bytes, must be 1 to 128"),
        ("name=%00", "name contains a control character"),
        (
            "name=COLLECTOR_INGEST_KEY",
            "name is reserved for the key in the environment variable of that name; choose another"
        ),
        ("name=x&app=\(String(repeating: "a", count: 300))", "app is 300 bytes, must be"),
    ])
    func `an invalid form for a new key is rejected with a reason`(body: String, words: String) throws {
        let running = try RunningCollector()
        let answer = try running.post(body, Self.form, to: "/access/keys", fields: try sessionFields(running))
        #expect(answer.status == 400)
        #expect(answer.text.contains(words), "\(answer.text)")
    }

    @Test func `a rejected form for a key or token is shown again as it was filled in`() throws {
        let running = try RunningCollector()
        let fields = try sessionFields(running)
        let key = try running.post(
            "name=Te%22ams&app=\(String(repeating: "a", count: 300))", Self.form, to: "/access/keys",
            fields: fields)
        #expect(key.status == 400 && key.field("Cache-Control") == "no-store")
        #expect(key.text.contains(#"value="Te&quot;ams" autofocus"#))
        #expect(key.text.contains("value=\"\(String(repeating: "a", count: 300))\""))
        #expect(key.text.components(separatedBy: "Could not save: ").count == 2)

        let made = try running.post(
            #"{"name":"ann","role":"viewer"}"#, to: "/api/v1/tokens", fields: [Self.bearer])
        let other = try running.post(
            #"{"name":"bob","role":"viewer"}"#, to: "/api/v1/tokens", fields: [Self.bearer])
        #expect(made.status == 201)
        let bob = try #require(try other.json["id"] as? Int)
        let renamed = try running.post(
            "name=ann", Self.form, to: "/access/tokens/\(bob)/name", fields: fields)
        #expect(renamed.status == 409)
        #expect(renamed.text.contains("<details open><summary>Rename…"))
        #expect(renamed.text.contains(#"value="ann" autofocus"#))
        #expect(renamed.text.components(separatedBy: " autofocus").count == 2)
    }

    @Test(arguments: ["/access/keys", "/access/tokens/1/name", "/access/keys/1/revoke"])
    func
        `GET of a form's path redirects to /access; a form that is too large or compressed is rejected`(
            path: String
        ) throws
    {
        let running = try RunningCollector()
        let fields = try sessionFields(running)
        let read = try running.get(path, fields: fields)
        #expect(read.status == 303 && read.field("Location") == "/access")
        #expect(try running.get(path, fields: []).field("Location") == "/sign-in?to=%2Faccess")
        let large = try running.post(
            "name=" + String(repeating: "n", count: 5000), Self.form, to: path, fields: fields)
        #expect(large.status == 413)
        #expect(try Markup(large.body).links.contains("/access"))
        let packed = try running.post(
            "name=n", Self.form, to: path, fields: fields + [HTTPField("Content-Encoding", "gzip")])
        #expect(packed.status == 415 && packed.field("Accept-Encoding") == "identity")
        #expect(
            try Markup(packed.body).texts.contains(
                "this address accepts no compressed body; send it uncompressed"))
    }

    @Test func `a key's name of the maximum length is accepted, even if each character has three bytes`()
        throws
    {
        let running = try RunningCollector()
        let fields = try sessionFields(running)
        let page = try running.get("/access", fields: fields).text
        let limit = try #require(page.firstMatch(of: /name="name" required maxlength="(\d+)"/))
        let name = String(repeating: "漏", count: try #require(Int(limit.1)))
        let answer = try running.post(
            "name=\(PercentEncoder.encode(name))", Self.form, to: "/access/keys", fields: fields)
        #expect(answer.status == 201)
    }

    @Test func `neither a form of another site nor an API request with a cookie creates a key`() throws {
        let running = try RunningCollector()
        let cookie = try sessionFields(running)[0]
        for origin in [[HTTPField("Origin", "https://evil.example")], [HTTPField("Origin", "null")], []] {
            let answer = try running.post("name=x", Self.form, to: "/access/keys", fields: [cookie] + origin)
            #expect(answer.status == 403)
        }
        let here = HTTPField("Origin", running.address)
        #expect(
            try running.post(#"{"name":"x"}"#, to: "/api/v1/keys", fields: [cookie, here]).status == 401)
        #expect(
            try running.post("name=x", "text/plain", to: "/access/keys", fields: [cookie, here]).status == 415
        )
        #expect(try running.post("name=x", Self.form, to: "/access/keys", fields: []).status == 303)
        #expect(try running.post(#"{"name":"x"}"#, to: "/api/v1/keys").status == 401)
        let keys = try #require(try running.json("/api/v1/keys")["keys"] as? [[String: Any]])
        #expect(keys.count == 1)
    }

    @Test(arguments: [
        "", "[]", "{", #"{"name":1}"#, #"{"nmae":"x"}"#, #"{"name":"x","app":""}"#, #"{"name":null}"#,
        #"{"name":"x"} y"#,
    ])
    func `the API for ingest keys rejects invalid requests`(body: String) throws {
        let running = try RunningCollector()
        let answer = try running.post(body, to: "/api/v1/keys", fields: [Self.bearer])
        #expect(answer.status == 400, "\(answer.text)")
        #expect(try (answer.json["detail"] as? String)?.isEmpty == false)
    }

    @Test func `the API creates, lists, renames and revokes access tokens`() async throws {
        let running = try RunningCollector()
        let made = try running.post(
            #"{"name":"ci","role":"viewer"}"#, to: "/api/v1/tokens", fields: [Self.bearer])
        #expect(made.status == 201 && made.field("Cache-Control") == "no-store")
        let (secret, id) = (
            try #require(try made.json["secret"] as? String), try #require(try made.json["id"] as? Int)
        )
        let token = [HTTPField("Authorization", "Bearer \(secret)")]
        #expect(try running.get("/api/v1/leaks", fields: token).status == 200)
        #expect(
            try running.post(
                #"{"name":"x","role":"viewer","environments":"ci"}"#, to: "/api/v1/tokens",
                fields: [Self.bearer]
            ).status == 400)

        let path = "/api/v1/tokens/\(id)"
        let renamed = try await send("PATCH", running.address + path, body: #"{"name":"build"}"#)
        #expect(renamed.status == 200 && renamed.body["name"] as? String == "build")
        let listed = try #require(try running.json("/api/v1/tokens")["tokens"] as? [[String: Any]])
        #expect(listed.compactMap { $0["name"] as? String } == [Setting.accessToken.variable, "build"])
        #expect(listed.allSatisfy { $0["secret"] == nil && $0["revoked_at"] is NSNull })

        let key = try await send("DELETE", running.address + "/api/v1/keys/\(id)")
        #expect(key.status == 404)
        let revoked = try await send("DELETE", running.address + path)
        #expect(revoked.status == 200 && revoked.body["revoked_at"] is String)
        #expect(try running.get("/api/v1/leaks", fields: token).status == 403)
        #expect(try await send("DELETE", running.address + path).status == 404)
        let variableTokenID = try #require(listed.first?["id"] as? Int)
        let kept = try await send(
            "PATCH", running.address + "/api/v1/tokens/\(variableTokenID)", body: #"{"name":"x"}"#)
        #expect(kept.status == 409)
        #expect((kept.body["detail"] as? String)?.contains("cannot be renamed") == true)
    }

    @Test(arguments: [
        (#"{"name":"x","role":true}"#, "tokens", "expected a string as role"),
        (#"{"name":"x","environments":["ci"]}"#, "keys", "expected a string as environments"),
        (#"{"name":7}"#, "keys", "expected a string as name"),
    ])
    func `a field of the wrong kind is rejected with its name and its kind`(
        body: String, kind: String, text: String
    )
        throws
    {
        let answer = try RunningCollector().post(body, to: "/api/v1/\(kind)", fields: [Self.bearer])
        #expect(answer.status == 400 && answer.text.contains(text), "\(answer.text)")
    }

    @Test(arguments: [true, false])
    func `an access token for release checks gives access only to release checks`(
        isForm: Bool
    ) async throws {
        let running = try RunningCollector()
        #expect(try running.post(#"{"class":"A","app":{"id":"shop","version":"1.0"}}"#).status == 200)
        let secret: String
        if isForm {
            let page = try running.post(
                "name=ci&role=check&app=", Self.form, to: "/access/tokens", fields: [Self.bearer])
            #expect(page.status == 201 && page.text.contains("collector check"))
            secret = try #require(page.text.firstMatch(of: /<pre>([^<]+)<\/pre>/)).output.1.description
            #expect(try running.get("/access").text.contains("<td>check</td>"))
        } else {
            let made = try running.post(
                #"{"name":"ci","role":"check"}"#, to: "/api/v1/tokens", fields: [Self.bearer])
            #expect(try made.json["role"] as? String == "check")
            secret = try #require(try made.json["secret"] as? String)
        }
        let check = "/api/v1/check"
        let fields = [HTTPField("Authorization", "Bearer \(secret)")]
        #expect(try running.get("\(check)?app=shop&version=1.0", fields: fields).status == 200)
        #expect(try running.get("\(check)/markdown?app=shop&version=1.0", fields: fields).status == 200)

        let routes = running.collector.service.routes.filter { $0.access.permission != nil }
        #expect(routes.contains { $0.path == check } && routes.count > Resources.addresses.count)
        for route in routes where ![check, check + "/markdown"].contains(route.path) {
            let path = route.path.replacing("{leak}", with: String(repeating: "0", count: 32))
                .replacing(/\{[a-z]+\}/, with: "1")
            let answer = try await send(
                "\(route.method.name)", running.address + path, token: secret)
            #expect(answer.status == 403, "\(route.method) \(route.path)")
        }
        #expect(try running.post(#"{"class":"A"}"#, fields: fields).status == 401)
        let signIn = try running.post("token=\(secret)", Self.form, to: "/sign-in", fields: [])
        #expect(signIn.field("Set-Cookie") == nil && signIn.status == 403)
        #expect(signIn.text.contains("a token of the role check only runs release checks"))
        let revoked = try running.post("token=\(secret)x", Self.form, to: "/sign-in", fields: [])
        #expect(revoked.text.contains("Invalid or revoked token."))
        #expect(try running.get("/api/v1/leaks").json["total"] as? Int == 1)
    }

    @Test(arguments: ["", "&role=", "&role=owner", "&role=Viewer", "&checks_only=yes"])
    func `neither a form nor the API creates an access token without a known role`(role: String) throws {
        let running = try RunningCollector()
        let form = try running.post(
            "name=ci\(role)", Self.form, to: "/access/tokens", fields: [Self.bearer])
        #expect(form.status == 400 && form.text.contains("viewer, triager, admin, check or symbols"))
        let fields = role.split(separator: "&").map {
            $0.split(separator: "=", omittingEmptySubsequences: false)
        }
        let json = fields.map { #","\#($0[0])":"\#($0[1])""# }.joined()
        let answer = try running.post(
            #"{"name":"ci"\#(json)}"#, to: "/api/v1/tokens", fields: [Self.bearer])
        #expect(answer.status == 400, "\(answer.text)")
        let tokens = try #require(try running.json("/api/v1/tokens")["tokens"] as? [[String: Any]])
        #expect(tokens.count == 1)
    }

    @Test(arguments: [
        ("POST", "/api/v1/keys", #"{"name":"ci","role":"check"}"#),
        ("PATCH", "/api/v1/tokens/1", #"{"name":"ci","role":"check"}"#),
        ("PATCH", "/api/v1/tokens/1", #"{"name":"ci","app":"a"}"#),
        ("POST", "/api/v1/tokens", #"{"name":"ci","role":"admin","app":"a"}"#),
        ("POST", "/api/v1/tokens", #"{"name":"ci","role":"symbols","app":"a"}"#),
    ])
    func `keys have no role, existing tokens keep their rights, and an admin is not limited to an app`(
        method: String, path: String, body: String
    ) async throws {
        let running = try RunningCollector()
        #expect(try await send(method, running.address + path, body: body).status == 400)
    }

    @Test(arguments: ["+1", "-1", "1.0", "%2B1", "0x1", "99999999999999999999"])
    func `a request for an ingest key whose ID is not a plain number gets 404`(number: String) async throws {
        let running = try RunningCollector()
        let keys = try #require(try running.json("/api/v1/keys")["keys"] as? [[String: Any]])
        #expect(keys.first?["id"] as? Int == 1)
        let answer = try await send("DELETE", running.address + "/api/v1/keys/\(number)")
        #expect(answer.status == 404)
        #expect(try running.post(#"{"class":"A"}"#).status == 200)
    }

    @Test func `the API for keys and tokens rejects bodies that are too large or compressed, as documented`()
        async throws
    {
        let running = try RunningCollector()
        let paths = try #require(try running.json("/openapi.json")["paths"] as? [String: [String: Any]])
        let changes = paths.flatMap { path, item in
            item.compactMap { method, operation in
                // The request that deletes a key's data has no body, so it has no documented rejection of one.
                let isOurs =
                    (path.hasPrefix("/api/v1/keys") || path.hasPrefix("/api/v1/tokens"))
                    && !path.hasSuffix("/data")
                return isOurs && method != "get" ? (path, method, operation as? [String: Any]) : nil
            }
        }
        #expect(changes.count == 6)
        for (path, method, operation) in changes {
            let described = try #require(operation?["responses"] as? [String: Any])
            let address = running.address + path.replacing("{id}", with: "1")
            let large = try await send(
                method.uppercased(), address, body: String(repeating: " ", count: 5000))
            #expect(large.status == 413 && described["413"] != nil, "\(method) \(path): \(large)")
            let packed = try await send(method.uppercased(), address, body: "{}", encoding: "gzip")
            #expect(packed.status == 415 && described["415"] != nil, "\(method) \(path): \(packed)")
        }
    }

    @Test(arguments: [
        ("sign-in link", 400, "choose another"), ("signed in by ann", 400, "choose another"),
        ("ann", 409, "choose another name, or revoke that token first"),
    ])
    func `an access token cannot have a name that the history of decisions uses for another author`(
        name: String, status: Int, words: String
    ) async throws {
        let running = try RunningCollector()
        let made = try running.post(
            #"{"name":"ann","role":"viewer"}"#, to: "/api/v1/tokens", fields: [Self.bearer])
        let ann = try #require(try made.json["id"] as? Int)
        let other = try running.post(
            #"{"name":"bob","role":"viewer"}"#, to: "/api/v1/tokens", fields: [Self.bearer])
        let bob = try #require(try other.json["id"] as? Int)
        let body = #"{"name":"\#(name)"}"#

        let again = try running.post(
            #"{"name":"\#(name)","role":"viewer"}"#, to: "/api/v1/tokens", fields: [Self.bearer])
        #expect(again.status == status && again.text.contains(words), "\(again.text)")
        let form = try running.post(
            "name=\(name.replacing(" ", with: "+"))&role=viewer", Self.form, to: "/access/tokens",
            fields: try sessionFields(running))
        #expect(form.status == status && form.text.contains(words), "\(form.text)")
        let renamed = try await send("PATCH", "\(running.address)/api/v1/tokens/\(bob)", body: body)
        #expect(renamed.status == status, "\(renamed.body)")
        let paths = try #require(try running.json("/openapi.json")["paths"] as? [String: [String: Any]])
        for (path, method) in [("/api/v1/tokens", "post"), ("/api/v1/tokens/{id}", "patch")] {
            let operation = try #require(paths[path]?[method] as? [String: Any])
            #expect((operation["responses"] as? [String: Any])?["\(status)"] != nil)
        }

        // A key may have the name of a token, because keys do not make decisions. A token can keep its name, and the
        // name of a revoked token is free.
        #expect(try running.post(body, to: "/api/v1/keys", fields: [Self.bearer]).status == 201)
        let same = try await send(
            "PATCH", "\(running.address)/api/v1/tokens/\(ann)", body: #"{"name":"ann"}"#)
        #expect(same.status == 200)
        _ = try await send("DELETE", "\(running.address)/api/v1/tokens/\(ann)")
        let freed = try running.post(
            #"{"name":"ann","role":"viewer"}"#, to: "/api/v1/tokens", fields: [Self.bearer])
        #expect(freed.status == 201, "\(freed.text)")
    }

    @Test func `the page of tokens says that tokens created with a revoked token stay valid`() throws {
        let running = try RunningCollector()
        let page = try running.get("/access", fields: try sessionFields(running)).text
        #expect(
            page.contains(
                "If a token is revoked, the tokens that were created with it stay valid."))
    }

    private func send(
        _ method: String, _ address: String, body: String? = nil, encoding: String? = nil,
        token: String = RunningCollector.token
    ) async throws
        -> (status: Int, body: [String: Any])
    {
        var request = URLRequest(url: try #require(URL(string: address)))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(encoding, forHTTPHeaderField: "Content-Encoding")
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (data, answer) = try await URLSession.shared.data(for: request)
        return (
            try #require(answer as? HTTPURLResponse).statusCode,
            try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        )
    }
}
