internal import Foundation
import LeakMessage
import ReportTransport

extension Ground {
    init(
        _ configuration: LeakReporter.Configuration, _ backoff: Backoff,
        _ makeTransport: @escaping @Sendable () -> any Transport
    ) {
        bounds = configuration.bounds.sound
        self.backoff = backoff
        app = configuration.app
        device = configuration.device
        collectsByDefault = configuration.collectsByDefault
        warn = configuration.warn
        self.makeTransport = makeTransport
        rules = Outbox.Rules(
            isSampledOut: !Budget.isSampled(rate: bounds.sampleRate, random: .random(in: 0..<1)),
            sendsAutomatically: configuration.sendsAutomatically, redaction: configuration.redaction,
            beforeSend: configuration.beforeSend)
        user = configuration.user
        let installFile = InstallFile.ofThisUser(app)
        folder = Self.folder(configuration.storage, standard: installFile.folder)
        stateFolder = folder ?? installFile.folder
        install = Self.install(configuration.install, installFile)
        if configuration.install == .kept {
            forgetInstall = { installFile.forget() }
            installFolder = installFile.folder
        }
        do throws(Misconfiguration) {
            try check(configuration.storage)
            envelope = try Envelope(configuration)
        } catch {
            rules.refusal = .misconfigured
            folder = nil
            stateFolder = installFile.folder
            trouble = error.description
        }
    }

    private static func folder(_ storage: LeakReporter.Storage, standard: String) -> String? {
        switch storage {
        case .standard: standard
        case .folder(let path): path
        case .memory: nil
        }
    }

    private func check(_ storage: LeakReporter.Storage) throws(Misconfiguration) {
        if case .folder(let path) = storage, !path.hasPrefix("/") || path.utf8.contains(0) {
            throw .relativeFolder(path)
        }
    }

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
