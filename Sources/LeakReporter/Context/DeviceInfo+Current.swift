internal import Foundation
public import LeakMessage

extension DeviceInfo {
    /// The device as the system describes it: name and version of the system, and the model of the device.
    public static var ofThisSystem: DeviceInfo {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        var number = "\(version.majorVersion).\(version.minorVersion)"
        if version.patchVersion > 0 { number += ".\(version.patchVersion)" }
        return DeviceInfo(os: systemName, osVersion: number, model: ThisMachine.model)
    }

    private static var systemName: String {
        #if os(iOS)
            "iOS"
        #elseif os(tvOS)
            "tvOS"
        #elseif os(visionOS)
            "visionOS"
        #elseif os(macOS)
            "macOS"
        #else
            "Linux"
        #endif
    }
}

extension AppInfo {
    /// The app as the main bundle describes it: identifier, version, build, and the name of the executable, which is used as the
    /// module's name. The environment is guessed.
    ///
    /// The environment is `debug` for a build with `DEBUG` and in the simulator, `testflight` with the receipt of TestFlight, and
    /// `production` otherwise. On Linux, the variable `ENVIRONMENT` or else `APP_ENV` names it, and without them it is `production`.
    /// Set ``AppInfo/environment`` to `ci` where tests run.
    ///
    /// A program without a bundle has only the name of its executable; the key determines the app then.
    public static var ofThisProcess: AppInfo {
        let bundle = Bundle.main
        let executable = bundle.object(forInfoDictionaryKey: "CFBundleExecutable") as? String
        return AppInfo(
            id: bundle.bundleIdentifier,
            module: String(
                (executable ?? ProcessInfo.processInfo.processName).map(ThisMachine.moduleCharacter)),
            environment: ThisMachine.environment,
            version: bundle.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String,
            build: bundle.object(forInfoDictionaryKey: "CFBundleVersion") as? String)
    }
}
