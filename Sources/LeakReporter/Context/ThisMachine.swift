internal import Foundation

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The model of the device and the environment of the app, as far as the system shows them.
enum ThisMachine {
    /// The model: `iPhone17,1` on a device and in its simulator, `Mac16,10` on a Mac, `x86_64` on Linux.
    static var model: String? {
        #if canImport(Darwin)
            if let simulated = ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] {
                return simulated
            }
            #if os(macOS) || targetEnvironment(macCatalyst)
                return text(named: "hw.model")
            #else
                return text(named: "hw.machine")
            #endif
        #else
            var names = utsname()
            guard unsafe uname(&names) == 0 else { return nil }
            return unsafe withUnsafeBytes(of: &names.machine) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
        #endif
    }

    /// The environment of the app in the sense of ``AppInfo/environment``, such as `production`; guessed.
    static var environment: String {
        #if canImport(Darwin)
            #if DEBUG || targetEnvironment(simulator)
                let isDebug = true
            #else
                let isDebug = false
            #endif
            return environment(
                isDebug: isDebug, receipt: Bundle.main.appStoreReceiptURL?.lastPathComponent,
                hasProfile: Bundle.main.path(forResource: "embedded", ofType: "mobileprovision") != nil)
        #else
            return environment(variables: ProcessInfo.processInfo.environment)
        #endif
    }

    /// - Parameters:
    ///   - receipt: the name of the App Store's receipt: `sandboxReceipt` for an app from TestFlight, and for an app that was not
    ///     installed from a store.
    ///   - hasProfile: `true` for an app with a provisioning profile, as in-house and ad hoc apps have; apps from a store have none.
    static func environment(isDebug: Bool, receipt: String?, hasProfile: Bool) -> String {
        if isDebug { return "debug" }
        return receipt == "sandboxReceipt" && !hasProfile ? "testflight" : "production"
    }

    /// - Parameter variables: the environment variables of a server.
    static func environment(variables: [String: String]) -> String {
        let names = [variables["ENVIRONMENT"], variables["APP_ENV"]].compactMap(\.self)
        return names.first { !$0.isEmpty } ?? "production"
    }

    /// Returns a character as SwiftPM and Xcode convert it for a module name: characters that are not allowed in identifiers become
    /// `_`.
    static func moduleCharacter(_ character: Character) -> Character {
        character.isLetter || character.isNumber || character == "_" ? character : "_"
    }

    #if canImport(Darwin)
        private static func text(named name: String) -> String? {
            var count = 0
            guard unsafe sysctlbyname(name, nil, &count, nil, 0) == 0, count > 1 else { return nil }
            var bytes = [UInt8](repeating: 0, count: count)
            guard unsafe sysctlbyname(name, &bytes, &count, nil, 0) == 0 else { return nil }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    #endif
}
