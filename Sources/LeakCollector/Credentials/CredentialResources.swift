internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// The page of apps, keys and tokens.
struct AccessResource: PageResource {
    static let pagePath = "/access"
    /// Keys and tokens expire at any moment.
    static let isRemembered = false

    init(_: borrowing Request, _: Parameters) {}

    func page(from view: StoreView) throws -> HTML {
        try AccessPage(from: view.reader, links: view.links, now: view.now).html
    }
}

/// All ingest keys.
struct KeysResource: JSONResource {
    static let jsonPath = "/keys"

    init(_: borrowing Request, _: Parameters) {}

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        try writer.credentials(.keys, from: view)
    }
}

/// All access tokens.
struct TokensResource: JSONResource {
    static let jsonPath = "/tokens"

    init(_: borrowing Request, _: Parameters) {}

    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws {
        try writer.credentials(.tokens, from: view)
    }
}

extension JSONWriter {
    fileprivate mutating func credentials(_ kind: CredentialKind, from view: StoreView) throws(StoreError) {
        let all = try view.reader.credentials(all: true, now: view.now).filter { $0.purpose == kind.purpose }
        fields(of: all, kind)
    }
}
