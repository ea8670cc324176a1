internal import LeakPlatform
internal import Foundation
import LeakMessage
import LeakTransport

extension ReporterEnvironment {
    init(
        _ configuration: LeakReporter.Configuration, backoff: Backoff,
        makeTransport: @escaping @Sendable () -> any Transport
    ) {
        bounds = configuration.bounds.validated
        self.backoff = backoff
        app = configuration.app
        device = configuration.device
        collectsByDefault = configuration.collectsByDefault
        warn = configuration.warn
        self.makeTransport = makeTransport
        rules = Outbox.Rules(
            isSampledOut: !ReportQuota.isSampled(rate: bounds.sampleRate, random: .random(in: 0..<1)),
            sendsAutomatically: configuration.sendsAutomatically, redaction: configuration.redaction,
            beforeSend: configuration.beforeSend)
        user = configuration.user
        let installFile = InstallFile.fileOfThisUser(app)
        folder = Self.folder(configuration.storage, standard: installFile.folder)
        choiceFolder = folder ?? installFile.folder
        let isTestRun = app.environment?.lowercased() == Self.testEnvironment
        install = Self.install(configuration.install, installFile)
        if configuration.install == .kept, isTestRun {
            let identifier = Guarded(RandomText.hexadecimal128())
            install = { identifier.with { $0 } }
            forgetInstall = { identifier.with { $0 = RandomText.hexadecimal128() } }
        } else if configuration.install == .kept {
            forgetInstall = { installFile.forget() }
            installFolder = installFile.folder
        }
        var hasFolder = false
        do throws(Misconfiguration) {
            if case .folder(let path) = configuration.storage { try Self.validate(path: path) }
            hasFolder = true
            if let shared = try Self.folder(configuration.consentStorage) {
                (choiceFolder, formerChoiceFolder) = (shared, choiceFolder)
            }
            requestBuilder = try RequestBuilder(configuration)
        } catch {
            rules.blockingReason = .misconfigured
            folder = nil
            // A refusal in this run must be found by the next start, whose configuration may be valid again.
            if !hasFolder { (choiceFolder, formerChoiceFolder) = (installFile.folder, nil) }
            problem = error.description
        }
    }

    private static func folder(_ storage: LeakReporter.Storage, standard: String) -> String? {
        switch storage {
        case .standard: standard
        case .folder(let path): path
        case .memory: nil
        }
    }

    /// - Returns: the path of the folder; `nil` for the reporter's own folder.
    private static func folder(
        _ storage: LeakReporter.ConsentStorage
    ) throws(Misconfiguration) -> String? {
        switch storage {
        case .standard: return nil
        case .folder(let path):
            try validate(path: path)
            return path
        case .appGroup(let identifier):
            guard let container = AppGroup.container(identifier) else {
                throw .unavailableAppGroup(identifier: identifier)
            }
            return container + "/LeakReporter"
        }
    }

    private static func validate(path: String) throws(Misconfiguration) {
        guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw .relativeFolder(path: path) }
    }

    /// The environment in which each run of the app has an identifier of its own.
    private static let testEnvironment = "ci"

    private static func install(
        _ install: LeakReporter.Install, _ file: InstallFile
    ) -> @Sendable () -> String? {
        switch install {
        case .kept: { file.identifier() }
        case .none: { nil }
        case .given(let identifier): { identifier }
        }
    }
}
