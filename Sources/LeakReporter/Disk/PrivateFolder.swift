internal import Foundation

/// A folder that only the reporter uses, with the attributes that it needs on Apple's systems.
enum PrivateFolder {
    /// Creates the folder and missing parent folders, and sets its attributes before it contains anything: new files inherit the
    /// protection of their folder.
    static func make(_ path: String) throws(FileFailure) {
        try FileSystem.makeFolders(path)
        mark(path)
    }

    /// Excludes the folder from backups, because a device restored from the backup of another device is another installation, and the
    /// other device sends those reports. Allows reading its files once the device has been unlocked for the first time: otherwise
    /// an app that is woken in the background could not read its reports.
    private static func mark(_ path: String) {
        #if canImport(Darwin)
            var url = URL(fileURLWithPath: path, isDirectory: true)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? url.setResourceValues(values)
            #if !os(macOS)
                try? FileManager.default.setAttributes(
                    [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
                    ofItemAtPath: path)
            #endif
        #endif
    }
}
