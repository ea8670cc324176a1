import Foundation
import LeakHTTPClient
import LeakCollector
import LeakGrammar
import LeakMessage
import Testing

/// The calls of an operator in ``CrashTests`` while the collector is killed, and checks of their effects.
///
/// The report counts that ``CrashTests`` expects do not include reports that these calls send. Most calls have no
/// `Idempotency-Key`, so a repeated call may be executed again. The effect of an answered call must exist after the restart. A
/// call without an answer was executed once or not at all.
struct OperatorLedger: Sendable {
    private enum Call: Sendable {
        case decide(note: String)
        case createKey(name: String)
        case createToken(name: String)
        case revokeKey(Key)
        case erase(install: String)
        case uploadSymbols(image: String)
        case removeSymbols(image: String)
    }

    private struct Key: Sendable {
        let name: String
        let id: Int
        let secret: String
    }

    private struct Unanswered: Error {}

    private(set) var problems: [String] = []
    private var notes: [String] = []
    private var keys: [Key] = []
    private var revokedKeys: [Key] = []
    /// Secrets of the created tokens.
    private var tokens: [String] = []
    private var erasedInstalls: [String] = []
    private var images: [String] = []
    private var removedImages: [String] = []
    /// A call that was sent but not answered.
    private var unanswered: Call?

    /// An app whose reports are not compared with the expected counts.
    private static let app = "operator"
    /// Maximum number of operator calls in a round. It is low, because the history of a leak has at most 200 entries.
    private static let callLimit = 60

    // MARK: Calls

    /// Makes random calls until a call is not answered.
    ///
    /// - Parameter isComplete: true to make one call of each kind, and to end then.
    static func operate(_ address: String, round: Int, isComplete: Bool, _ progress: RoundProgress)
        -> OperatorLedger
    {
        var ledger = OperatorLedger()
        defer { progress.end() }
        do {
            let client = try HTTPClient.forCrashTests()
            let leak = try leak(client, address)
            for number in 0..<(isComplete ? kindCount : callLimit) {
                let kindNumber = isComplete ? number : Int.random(in: 0..<kindCount)
                guard let call = ledger.call(kindNumber, "\(round)-\(number)") else { continue }
                ledger.unanswered = call
                try ledger.make(call, client, address, leak: leak)
                ledger.unanswered = nil
                progress.recordAnswer()
            }
        } catch {
            if isComplete || !(error is Unanswered) { ledger.problems.append("\(error)") }
        }
        return ledger
    }

    /// Number of kinds of calls. A kind that needs data comes after the kind that creates the data.
    private static let kindCount = 9

    /// Returns a call of the kind with the number `kindNumber`; `nil` if there is nothing yet to revoke or remove.
    private func call(_ kindNumber: Int, _ name: String) -> Call? {
        switch kindNumber {
        case 0: .decide(note: name)
        case 1, 2: .createKey(name: name)
        case 3: .createToken(name: "token \(name)")
        case 4: keys.first.map(Call.revokeKey)
        case 5: .erase(install: "gone-\(name)")
        case 6, 7: .uploadSymbols(image: UUID().uuidString)
        default: images.first.map(Call.removeSymbols)
        }
    }

    private static let bearer = HTTPField("Authorization", "Bearer \(CollectorProcess.token)")

    /// Returns the id of the leak that the decisions are about.
    private static func leak(_ client: HTTPClient, _ address: String) throws -> String {
        func found() throws -> String? {
            let list = try requireAnswer {
                try client.get("\(address)/api/v1/leaks?app=\(app)&state=any", fields: [bearer])
            }
            let leaks = try list.json["leaks"] as? [[String: Any]] ?? []
            return leaks.first { ($0["class"] as? String)?.hasSuffix("Decided") == true }?["id"] as? String
        }
        if let id = try found() { return id }
        try report(#""class":"Shop.Decided""#, client, address)
        return try #require(try found())
    }

    /// Reports a leak of the operator's app.
    private static func report(_ fields: String, _ client: HTTPClient, _ address: String) throws {
        let body = #"{"app":{"id":"\#(app)","version":"1.0"},\#(fields)}"#
        let answer = try requireAnswer {
            try client.post(
                Array(body.utf8), to: address + "/api/v1/reports",
                fields: [
                    HTTPField("Authorization", "Bearer \(CollectorProcess.key)"),
                    HTTPField("Content-Type", "application/json"),
                ])
        }
        try answer.expect(200)
    }

    private static func requireAnswer(_ request: () throws -> HTTPResponse) throws -> HTTPResponse {
        do { return try request() } catch { throw Unanswered() }
    }

    private static func post(
        _ body: [UInt8], _ type: String = "application/json", to path: String, _ client: HTTPClient,
        _ address: String
    ) throws -> HTTPResponse {
        try requireAnswer {
            try client.post(body, to: address + path, fields: [bearer, HTTPField("Content-Type", type)])
        }
    }

    private static func delete(_ path: String, _ client: HTTPClient, _ address: String) throws -> HTTPResponse
    {
        try requireAnswer { try client.delete(address + path, fields: [bearer]) }
    }

    private mutating func make(_ call: Call, _ client: HTTPClient, _ address: String, leak: String) throws {
        switch call {
        case .decide(let note):
            let action = ["note", "ignore", "reopen", "resolve"].randomElement() ?? "note"
            let body =
                #"{"action":"\#(action)"\#(action == "resolve" ? #","in":"now""# : ""),"note":"\#(note)"}"#
            try Self.post(Array(body.utf8), to: "/api/v1/leaks/\(leak)/decisions", client, address).expect(
                201)
            notes.append(note)
        case .createKey(let name):
            let made = try Self.post(Array(#"{"name":"\#(name)"}"#.utf8), to: "/api/v1/keys", client, address)
                .expect(201)
            keys.append(
                Key(
                    name: name, id: try #require(made["id"] as? Int),
                    secret: try #require(made["secret"] as? String)))
        case .createToken(let name):
            let made = try Self.post(
                Array(#"{"name":"\#(name)","role":"viewer"}"#.utf8), to: "/api/v1/tokens", client, address
            ).expect(201)
            tokens.append(try #require(made["secret"] as? String))
        case .revokeKey(let key):
            // The key is no longer expected to be valid, even if the request fails.
            keys.removeAll { $0.id == key.id }
            try Self.delete("/api/v1/keys/\(key.id)", client, address).expect(200)
            revokedKeys.append(key)
        case .erase(let install):
            try Self.report(#""class":"Shop.Erased","install":"\#(install)""#, client, address)
            let answer = try Self.delete("/api/v1/installs/\(install)", client, address).expect(200)
            if answer["sets"] as? Int ?? 0 < 1 { problems.append("nothing was erased of \(install)") }
            erasedInstalls.append(install)
        case .uploadSymbols(let image):
            try upload(image, client, address)
        case .removeSymbols(let image):
            images.removeAll { $0 == image }
            try Self.delete("/api/v1/symbols/\(image)", client, address).expect(200)
            removedImages.append(image)
        }
    }

    private mutating func upload(_ image: String, _ client: HTTPClient, _ address: String) throws {
        try Self.post(
            Self.table(image), "application/octet-stream", to: "/api/v1/symbols", client, address
        ).expect(200)
        images.append(image)
    }

    private static func table(_ image: String) throws -> [UInt8] {
        var builder = SymbolTableBuilder(
            image: try #require(ImageID(image)), name: "Shop", architecture: "arm64")
        builder.add(
            0x1000..<0x1100, [SymbolicatedFrame(function: "CartModel.load()", file: "Cart.swift", line: 7)])
        return builder.finish()
    }

    // MARK: Results

    /// Returns differences between the answers of calls and their effects, right after the restart. Repeats the unanswered
    /// call if a second execution would change nothing.
    mutating func problems(after address: String) throws -> [String] {
        let client = try HTTPClient.forCrashTests()
        var found: [String] = []
        let leak = try Self.leak(client, address)
        let history =
            try client.json("/api/v1/leaks/\(leak)", at: address)["history"] as? [[String: Any]] ?? []
        let storedNotes = history.compactMap { $0["note"] as? String }
        // The newest entry comes first.
        let known = Set(notes)
        if Array(storedNotes.filter(known.contains).reversed()) != notes {
            found.append("answered decisions: \(notes), in the history: \(storedNotes)")
        }
        switch unanswered {
        case .decide(let note):
            if storedNotes.filter({ $0 == note }).count > 1 { found.append("decision \(note) came twice") }
        case .createKey(let name):
            if try Self.keys(client, address).filter({ $0.name == name }).count > 1 {
                found.append("key \(name) was made twice")
            }
        case .revokeKey(let key):
            // The status is 404 if the key was revoked already.
            let status = try Self.delete("/api/v1/keys/\(key.id)", client, address).status
            if ![200, 404].contains(status) { found.append("revoking again: \(status)") }
            revokedKeys.append(key)
        case .erase(let install):
            try Self.delete("/api/v1/installs/\(install)", client, address).expect(200)
            erasedInstalls.append(install)
        case .uploadSymbols(let image):
            try upload(image, client, address)
        case .removeSymbols(let image):
            let status = try Self.delete("/api/v1/symbols/\(image)", client, address).status
            if ![200, 404].contains(status) { found.append("removing again: \(status)") }
            removedImages.append(image)
        case .createToken, nil: break
        }
        unanswered = nil
        return try found + laterProblems(after: address)
    }

    private static func keys(_ client: HTTPClient, _ address: String) throws -> [(
        name: String, isRevoked: Bool
    )] {
        let keys = try #require(try client.json("/api/v1/keys", at: address)["keys"] as? [[String: Any]])
        return keys.map { ($0["name"] as? String ?? "", $0["revoked_at"] is String) }
    }

    /// Returns differences between the answers of calls and their effects, after further kills.
    func laterProblems(after address: String) throws -> [String] {
        let client = try HTTPClient.forCrashTests()
        var found: [String] = []
        func check(_ holds: Bool, _ problem: String) { if !holds { found.append(problem) } }
        let listed = try Self.keys(client, address)
        for (keys, isRevoked) in [(keys, false), (revokedKeys, true)] {
            for key in keys {
                check(
                    listed.filter { $0.name == key.name }.map(\.isRevoked) == [isRevoked],
                    "key \(key.name) is not listed with isRevoked \(isRevoked)")
                let answer = try client.post(
                    Array(#"{"app":{"id":"\#(Self.app)"},"class":"Shop.Keyed"}"#.utf8),
                    to: address + "/api/v1/reports",
                    fields: [
                        HTTPField("Authorization", "Bearer \(key.secret)"),
                        HTTPField("Content-Type", "application/json"),
                    ])
                check(
                    (answer.status == 200) != isRevoked,
                    "key \(key.name), revoked \(isRevoked): \(answer.status)")
            }
        }
        for token in tokens {
            let answer = try client.get(
                address + "/api/v1/apps", fields: [HTTPField("Authorization", "Bearer \(token)")])
            check(answer.status == 200, "a token is not accepted: \(answer.status)")
        }
        for install in erasedInstalls {
            let answer = try Self.delete("/api/v1/installs/\(install)", client, address).expect(200)
            check(
                answer["samples"] as? Int == 0 && answer["sets"] as? Int == 0,
                "\(install) was erased, but a second erasure found data: \(answer)")
        }
        let symbols = try #require(
            try client.json("/api/v1/symbols", at: address)["symbols"] as? [[String: Any]])
        let stored = symbols.compactMap { $0["image"] as? String }
        for image in images {
            check(stored.filter { $0 == image }.count == 1, "symbols of \(image) are not there")
        }
        for image in removedImages { check(!stored.contains(image), "symbols of \(image) are there") }
        return found
    }
}

extension HTTPResponse {
    struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    /// Checks the status of the answer.
    ///
    /// - Returns: the body as a JSON object.
    /// - Throws: ``Unexpected`` for another status.
    @discardableResult
    fileprivate func expect(_ wanted: Int) throws -> [String: Any] {
        guard status == wanted else {
            throw Unexpected(description: "\(status): \(String(decoding: body, as: UTF8.self))")
        }
        return try json
    }

    fileprivate var json: [String: Any] {
        get throws { try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:] }
    }
}
