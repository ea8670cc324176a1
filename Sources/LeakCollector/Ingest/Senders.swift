internal import HTTPServer
internal import LeakMessage
internal import LeakStore

/// The senders of one request, each made into strings once: a batch has one, whatever the number of its reports.
struct Senders {
    private(set) var origins: [Submission.Origin] = []
    /// Beside `origins`: the module whose name leads the app's own types.
    private(set) var modules: [String?] = []
    private var known: [OriginSlices: Int] = [:]
    private var last: (slices: OriginSlices, index: Int)?

    private let fallbackApp: String
    private let fallbackVersion: String

    /// - Throws: ``Problem`` when the address names an app or version that no body could name.
    init(letter: Letter, key: Credential) throws(Problem) {
        fallbackApp =
            try Self.parameter("app", letter.app, atMost: WireLimits.appIDBytes) ?? key.app
            ?? Reception.defaultApp
        fallbackVersion =
            try Self.parameter("version", letter.version, atMost: WireLimits.versionBytes)
            ?? Reception.unknownVersion
    }

    /// Names in an address obey the same bounds as in a body; empty ones name nothing there and here.
    private static func parameter(
        _ name: String, _ value: String?, atMost limit: Int
    ) throws(Problem) -> String? {
        guard let value, !value.isEmpty else { return nil }
        if let problem = WireName.problem(in: value, of: "the address's parameter \(name)", atMost: limit) {
            throw Problem(.badRequest, problem)
        }
        return value
    }

    /// The sender's place in ``origins``.
    mutating func index(of slices: OriginSlices, in document: WireDocument) -> Int {
        if let last, last.slices == slices { return last.index }
        let index: Int
        if let found = known[slices] {
            index = found
        } else {
            index = origins.count
            origins.append(origin(slices, document))
            modules.append(document.string(slices.module))
            known[slices] = index
        }
        last = (slices, index)
        return index
    }

    private func origin(_ slices: OriginSlices, _ document: WireDocument) -> Submission.Origin {
        func text(_ slice: JSONSlice) -> String? {
            guard let text = document.string(slice), !text.isEmpty else { return nil }
            return text
        }
        let install = text(slices.install)
        return Submission.Origin(
            app: text(slices.appID) ?? fallbackApp, version: text(slices.version) ?? fallbackVersion,
            build: text(slices.build), system: Self.joined(text(slices.os), text(slices.osVersion)),
            model: text(slices.model), installHash: install.map(Install.hash), install: install,
            user: text(slices.user))
    }

    private static func joined(_ name: String?, _ version: String?) -> String? {
        guard let name else { return version }
        return version.map { "\(name) \($0)" } ?? name
    }
}
