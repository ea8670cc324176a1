internal import LeakHTTPServer
internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

/// The senders of one request, each converted to strings once. Usually all reports of a batch have the same sender.
struct OriginTable {
    /// Result of checking whether the ingest key may send for a sender's app and environment.
    enum SenderAdmission {
        /// The key may send for this sender. `index` is the position of the sender in ``OriginTable/origins``.
        case admitted(index: Int)
        /// The key is restricted to another app or to other environments, as the reason says.
        case rejected(reason: String)
    }

    /// Origins that the ingest key may send for. The origins of rejected senders are left out.
    private(set) var origins: [Submission.Origin] = []
    /// For each of `origins`, its app and environment.
    private(set) var apps: [AppKey] = []
    /// For each of `origins`, the module of the app's own types, `Shop` in `Shop.Cart`; `nil` if it is not known.
    private(set) var modules: [String?] = []
    private var admissionsBySlices: [OriginSlices: SenderAdmission] = [:]
    private var lastLookup: (slices: OriginSlices, admission: SenderAdmission)?

    /// The ingest key of the request.
    private let key: Credential
    /// The app that the key is restricted to; `nil` for any app.
    private let restrictedApp: String?
    /// The app of reports that name none.
    private let fallbackApp: String
    /// The environment of reports that name none.
    private let fallbackEnvironment: String
    /// The version of reports that name none.
    private let fallbackVersion: ReleaseBuild
    /// The module of reports that name none; `nil` if it is not known.
    private let fallbackModule: String?

    /// - Throws: ``Problem`` if the address has an invalid app, environment, version or module.
    init(ingestRequest: IngestRequest, key: Credential) throws(Problem) {
        self.key = key
        restrictedApp = key.app.map { $0.trimmedOfWhiteSpace }
        fallbackApp =
            try Self.parameter("app", ingestRequest.app, atMost: WireLimits.appIDBytes) ?? restrictedApp
            ?? SubmissionBuilder.defaultApp
        fallbackVersion = ReleaseBuild(
            try Self.parameter("version", ingestRequest.version, atMost: WireLimits.versionBytes)
                ?? SubmissionBuilder.unknownVersion)
        fallbackEnvironment =
            try Self.parameter(
                "environment", ingestRequest.environment, atMost: WireLimits.environmentBytes)
            ?? (key.environments.count == 1 ? key.environments[0] : AppKey.production)
        let module = try Self.parameter("module", ingestRequest.module, atMost: WireLimits.moduleBytes)
        fallbackModule = module ?? (ingestRequest.keepsModules ? GroupingRules.keepModulesMarker : nil)
    }

    /// Returns a parameter of the address without white space at its ends. Names have the same limits as in a body, and an
    /// empty name counts as missing.
    private static func parameter(
        _ name: String, _ value: String?, atMost limit: Int
    ) throws(Problem) -> String? {
        guard let value, !value.isEmpty else { return nil }
        if let problem = WireName.problem(in: value, of: "the address's parameter \(name)", atMost: limit) {
            throw Problem.invalidParameter(problem)
        }
        let trimmed = value.trimmedOfWhiteSpace
        return trimmed.isEmpty ? nil : trimmed
    }

    /// Checks the sender of a report or batch. The first call for `slices` adds an admitted sender to ``origins``.
    ///
    /// - Parameter slices: the ranges of the body that name the sender.
    mutating func admission(of slices: OriginSlices, in document: WireDocument) -> SenderAdmission {
        if let lastLookup, lastLookup.slices == slices { return lastLookup.admission }
        let admission =
            admissionsBySlices[slices]
            ?? admit(origin(slices, document), module: document.string(slices.module))
        admissionsBySlices[slices] = admission
        lastLookup = (slices, admission)
        return admission
    }

    private mutating func admit(_ origin: Submission.Origin, module: String?) -> SenderAdmission {
        // Compares bytes, as the store does to distinguish apps.
        if let restrictedApp, !restrictedApp.utf8.elementsEqual(origin.app.utf8) {
            return .rejected(
                reason: "app is \(origin.app), but this ingest key is restricted to \(restrictedApp)")
        }
        let isAdmitted = key.environments.contains { $0.utf8.elementsEqual(origin.environment.utf8) }
        guard key.environments.isEmpty || isAdmitted else {
            return .rejected(
                reason: "environment is \(origin.environment), but this ingest key is restricted to "
                    + key.environments.joined(separator: ", "))
        }
        origins.append(origin)
        apps.append(AppKey(origin.app, environment: origin.environment))
        modules.append(module ?? fallbackModule)
        return .admitted(index: origins.count - 1)
    }

    private func origin(_ slices: OriginSlices, _ document: WireDocument) -> Submission.Origin {
        func text(_ slice: JSONSlice) -> String? {
            guard let text = document.string(slice), !text.isEmpty else { return nil }
            return text
        }
        func name(_ slice: JSONSlice) -> String? {
            guard let trimmed = text(slice)?.trimmedOfWhiteSpace, !trimmed.isEmpty else { return nil }
            return trimmed
        }
        let install = text(slices.install)
        let version = name(slices.version).map { ReleaseBuild($0) } ?? fallbackVersion
        return Submission.Origin(
            app: name(slices.appID) ?? fallbackApp,
            environment: AppKey.environment(named: name(slices.environment) ?? fallbackEnvironment),
            version: version.version, build: name(slices.build) ?? version.build,
            system: Self.joined(name: text(slices.os), version: text(slices.osVersion)),
            model: text(slices.model), installHash: install.map(Install.hash), install: install,
            user: text(slices.user))
    }

    private static func joined(name: String?, version: String?) -> String? {
        guard let name else { return version }
        return version.map { "\(name) \($0)" } ?? name
    }
}
