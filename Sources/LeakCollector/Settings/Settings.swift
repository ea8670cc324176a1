internal import LeakHTTPServer
public import LeakStore

#if PostgreSQL
    internal import LeakPostgreSQL
#endif

/// The validated settings of `collector serve`.
public struct Settings: Sendable {
    public enum LogFormat: String, Sendable, CaseIterable {
        case text, json
    }

    public enum AccessLogFormat: String, Sendable, CaseIterable {
        case off, text, json
    }

    public var host = "127.0.0.1"
    public var port = 8080
    public var dataFolder = "./data"
    /// URL of a PostgreSQL database, with its password if it has one; `nil` for SQLite in the data folder.
    public var databaseURL: String?
    /// Maximum bytes of the SQLite file; `nil` for 16 GiB.
    public var databaseBytes: Int?
    /// The ages at which data is deleted.
    public var retention = RetentionRule()
    /// Folder of backups that the collector makes by itself; `nil` for no backups.
    public var backupFolder: String?
    /// Hours between two backups.
    public var backupIntervalHours = 24
    /// Number of backups that are kept.
    public var backupCount = 7
    /// Path of the Public folder; `nil` for the folder installed with the program.
    public var publicFolder: String?
    /// Address at which people reach the collector, without a slash at the end; `nil` for the address of the server, such as
    /// `http://localhost:PORT`.
    public var url: String?
    /// Origins whose pages may send forms, besides ``url`` and the origin that a request's `Host` names.
    public var trustedOrigins: [String] = []
    /// Proxies whose header fields are trusted to name a request's client.
    var trustedProxies: [IPNetwork] = []
    /// The role of people whom a trusted proxy names; `nil` ignores the names.
    var proxyRole: Credential.Role?
    /// Names of people with the role admin.
    var proxyAdmins: [String] = []
    public var logFormat = LogFormat.text
    /// True to print secrets; `nil` prints them if ``logFormat`` is text, and not if it is JSON.
    public var logSecrets: Bool?
    public var accessLogFormat = AccessLogFormat.off
    /// Host and port of a second server that serves only `/metrics`, without a token; `nil` for none.
    public var metricsListen: (host: String, port: Int)?
    /// Maximum number of open connections.
    public var maxConnections = 1024
    /// Seconds that a connection may be idle between two requests.
    public var idleSeconds = 75
    /// Maximum bytes of a request's body as sent.
    public var bodyBytes = 1 << 20
    /// Reports per second that one ingest key may send on average; 0 for no limit; `nil` for 10,000, but only while reports
    /// arrive faster than the store writes them. Ten million installs with fifty reports a day send 6,000 per second.
    public var reportsPerSecond: Int?
    /// False to store no explanations, and to tell reporters to send none.
    public var storesExplanations = true
    /// The percentage of leak-free sessions below which a release is an event; `nil` for no limit. There is no limit unless an
    /// operator sets one, because the usual share differs from app to app, and an event that comes with each release says nothing.
    public var leakFreeSessionsPercent: Double?
    /// The channels that get messages about events.
    var channels: [Channel] = []
    /// True to send messages also to addresses in private networks, and through a proxy.
    public var notifiesPrivateAddresses = false
    /// The path of the operator's own file of known leaks. `nil`: only the file in the Public folder is used.
    public var knownLeaksFile: String?
    public var ingestKey: String?
    public var accessToken: String?

    /// Settings that were ignored, a sentence each.
    public private(set) var warnings: [String] = []
    /// For each secret that was read from a file: the variable that names the file.
    private var fileVariables: [Setting: String] = [:]

    public init() {}

    /// Reads flags and, where a flag is absent, environment variables.
    ///
    /// - Parameters:
    ///   - flags: values from the command line, by setting.
    ///   - environment: the process's variables; an empty variable counts as absent.
    ///   - settings: the settings to read. All other settings keep their defaults, even if wrong values are given for them.
    /// - Throws: ``SettingError`` with the first wrong setting and the values that it may have.
    public init(
        flags: [Setting: String], environment: [String: String], only settings: [Setting] = Setting.allCases
    ) throws(SettingError) {
        for setting in settings {
            if let flagValue = flags[setting] {
                try apply(setting, flagValue, from: setting.flag ?? setting.variable)
                continue
            }
            let value = environment[setting.variable] ?? ""
            if let variable = setting.fileVariable, let file = environment[variable], !file.isEmpty {
                guard value.isEmpty else {
                    throw SettingError(
                        source: variable, problem: "and \(setting.variable) are both set; set one of them")
                }
                fileVariables[setting] = variable
                try apply(setting, try SecretFile.contents(of: file, variable: variable), from: variable)
            } else if setting == .port, Self.isServiceLink(value) {
                warnings.append(
                    "\(setting.variable) is “\(value)”, which Kubernetes sets for a Service of that name, and is "
                        + "ignored: listening on port \(port); use --port for another one")
            } else if !value.isEmpty {
                try apply(setting, value, from: setting.variable)
            }
        }
    }

    /// `true` if the start prints the sign-in link, and creates and prints a first key and token.
    public var showsSecrets: Bool { logSecrets ?? (logFormat == .text) }

    /// Returns the variable that set a secret, for messages about it.
    func variable(of setting: Setting) -> String { fileVariables[setting] ?? setting.variable }

    /// Returns `true` if a value is the address of a Service, as Kubernetes and Docker's links write it:
    /// `tcp://10.0.0.1:8080`.
    /// https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
    private static func isServiceLink(_ value: String) -> Bool {
        ["tcp://", "udp://", "sctp://"].contains { value.hasPrefix($0) }
    }

    /// Host for URLs with which this machine reaches the server: ``host``, or the loopback address if the server listens on
    /// every network. An IPv6 address is in brackets.
    public var reachableHost: String {
        switch host {
        case "0.0.0.0", "*": "127.0.0.1"
        case "::": "[::1]"
        default: host.contains(":") ? "[\(host)]" : host
        }
    }

    private mutating func apply(_ setting: Setting, _ value: String, from source: String) throws(SettingError)
    {
        func settingError(_ problem: String) -> SettingError {
            SettingError(source: source, problem: problem)
        }
        switch setting {
        case .host:
            guard !value.isEmpty, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw settingError("must be a host name or an address, such as 127.0.0.1 or ::1")
            }
            host = value
        case .port:
            guard let number = Int(value), (0...65535).contains(number) else {
                throw settingError("is “\(value)”, must be a number from 0 to 65535")
            }
            port = number
        case .data:
            guard !value.isEmpty else { throw settingError("must name a folder") }
            dataFolder = value
        case .databaseURL:
            databaseURL = try Self.parseDatabaseURL(
                value, isFlag: source == setting.flag, settingError: settingError)
        case .databaseBytes:
            guard let bytes = Int(value), bytes >= 1 << 20 else {
                throw settingError("is “\(value)”, must be a number of bytes, 1048576 or more")
            }
            databaseBytes = bytes
        case .sampleDays:
            retention.sampleDays = try Self.parseDays(
                value, atLeast: RetentionRule.minSampleDays, settingError: settingError)
        case .unseenDays:
            retention.unseenDays = try Self.parseDays(
                value, atLeast: RetentionRule.minUnseenDays, settingError: settingError)
        case .dailyDays:
            retention.dailyDays = try Self.parseDays(
                value, atLeast: RetentionRule.minDailyDays, settingError: settingError)
        case .backup:
            guard !value.isEmpty else { throw settingError("must name a folder") }
            backupFolder = value
        case .backupInterval:
            backupIntervalHours = try Self.parseNumber(
                value, in: 1...8760, unit: "of hours ", settingError: settingError)
        case .backupCount:
            backupCount = try Self.parseNumber(value, in: 1...1000, settingError: settingError)
        case .public:
            guard !value.isEmpty else { throw settingError("must name a folder") }
            publicFolder = value
        case .url:
            url = try Self.parseAddress(value, settingError: settingError)
        case .trustedOrigins:
            trustedOrigins = try Self.parseList(value, settingError: settingError) {
                (item) throws(SettingError) in
                guard WebOrigin(item) != nil else {
                    throw settingError(
                        "names “\(item)”, must be addresses without a path, separated by commas, such as "
                            + "https://leaks.example.com,http://leaks.internal:8080")
                }
                return item
            }
        case .trustedProxies:
            trustedProxies = try Self.parseList(value, settingError: settingError) {
                (item) throws(SettingError) in
                do {
                    return try IPNetwork(item)
                } catch {
                    throw settingError("names “\(item)”, which \(error)")
                }
            }
        case .proxyRole:
            guard let role = Credential.Role(rawValue: value), [.viewer, .triager, .admin].contains(role)
            else {
                throw settingError("is “\(value)”, must be viewer, triager or admin")
            }
            proxyRole = role
        case .proxyAdmins:
            proxyAdmins = try Self.parseList(value, settingError: settingError) { (item) in item }
        case .log:
            guard let format = LogFormat(rawValue: value) else {
                throw settingError("is “\(value)”, must be text or json")
            }
            logFormat = format
        case .logSecrets:
            logSecrets = try Self.parseYesOrNo(value, settingError: settingError)
        case .accessLog:
            guard let format = AccessLogFormat(rawValue: value) else {
                throw settingError("is “\(value)”, must be off, text or json")
            }
            accessLogFormat = format
        case .metricsListen:
            metricsListen = try Self.parseListenAddress(value, settingError: settingError)
        case .connections:
            maxConnections = try Self.parseNumber(value, in: 1...1_000_000, settingError: settingError)
        case .idleTime:
            idleSeconds = try Self.parseNumber(
                value, in: 1...3600, unit: "of seconds ", settingError: settingError)
        case .bodyBytes:
            bodyBytes = try Self.parseNumber(
                value, in: 1024...16_777_216, unit: "of bytes ", settingError: settingError)
        case .reportsPerSecond:
            guard let number = Int(value), (0...1_000_000_000).contains(number) else {
                throw settingError("is “\(value)”, must be a number from 0 to 1000000000; 0 for no limit")
            }
            reportsPerSecond = number
        case .explanations:
            storesExplanations = try Self.parseYesOrNo(value, settingError: settingError)
        case .leakFreeSessions:
            guard let percent = Double(value), percent > 0, percent <= 100 else {
                throw settingError(
                    "is “\(value)”, must be a percentage above 0, at most 100, such as 95 or 99.5")
            }
            leakFreeSessionsPercent = percent
        case .notify:
            channels = try Self.parseChannels(value, settingError: settingError)
        case .notifyPrivate:
            notifiesPrivateAddresses = try Self.parseYesOrNo(value, settingError: settingError)
        case .knownLeaks:
            guard !value.isEmpty else { throw settingError("must name a file") }
            knownLeaksFile = value
        case .ingestKey:
            ingestKey = try Self.parseSecret(value, settingError: settingError)
        case .accessToken:
            accessToken = try Self.parseSecret(value, settingError: settingError)
        }
    }

    /// Reads `host:port`; an IPv6 address is in brackets, and its brackets are removed.
    private static func parseListenAddress(
        _ value: String, settingError: (String) -> SettingError
    ) throws(SettingError) -> (host: String, port: Int) {
        let problem = settingError(
            "is “\(value)”, must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464")
        guard let colon = value.lastIndex(of: ":"), value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let port = UInt16(value[value.index(after: colon)...])
        else {
            throw problem
        }
        var host = value[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw problem
        }
        guard !host.isEmpty else { throw problem }
        return (String(host), Int(port))
    }

    /// Reads addresses that are separated by white space. Messages name an address by its number, because it is a secret.
    private static func parseChannels(
        _ value: String, settingError: (String) -> SettingError
    ) throws(SettingError) -> [Channel] {
        var channels: [Channel] = []
        for text in value.split(whereSeparator: \.isWhitespace) {
            do throws(ChannelError) {
                channels.append(try Channel(String(text)))
            } catch {
                throw settingError("is wrong: the address number \(channels.count + 1) \(error)")
            }
        }
        guard channels.count <= maxChannels else {
            throw settingError("has \(channels.count) addresses, must have at most \(maxChannels)")
        }
        guard Set(channels.map(\.key)).count == channels.count else {
            throw settingError("has an address twice")
        }
        return channels
    }

    /// Maximum number of ``channels``.
    private static let maxChannels = 20

    private static func parseYesOrNo(
        _ value: String, settingError: (String) -> SettingError
    ) throws(SettingError) -> Bool {
        guard let flag = ["yes": true, "no": false][value] else {
            throw settingError("is “\(value)”, must be yes or no")
        }
        return flag
    }

    /// Parses a number of days. Returns `nil` for 0, which keeps the data forever.
    private static func parseDays(
        _ value: String, atLeast minimum: Int, settingError: (String) -> SettingError
    ) throws(SettingError) -> Int? {
        guard let days = Int(value), days == 0 || (minimum...36_500).contains(days) else {
            throw settingError(
                "is “\(value)”, must be a number of days from \(minimum) to 36500, or 0 forever")
        }
        return days == 0 ? nil : days
    }

    /// Reads a decimal number within `range`.
    ///
    /// - Parameter unit: the unit of the number, followed by a space.
    private static func parseNumber(
        _ value: String, in range: ClosedRange<Int>, unit: String = "", settingError: (String) -> SettingError
    ) throws(SettingError) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw settingError(
                "is “\(value)”, must be a number \(unit)from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Reads items that are separated by commas. Blanks around them are ignored.
    private static func parseList<Item>(
        _ value: String, settingError: (String) -> SettingError,
        _ read: (String) throws(SettingError) -> Item
    ) throws(SettingError) -> [Item] {
        var items: [Item] = []
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let text = part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            guard !text.isEmpty else {
                throw settingError("has an empty entry; separate entries with one comma")
            }
            items.append(try read(String(text)))
        }
        return items
    }

    /// Reads the address of a database. If an unusable address were ignored silently, reports would go to another
    /// database.
    private static func parseDatabaseURL(
        _ value: String, isFlag: Bool, settingError: (String) -> SettingError
    ) throws(SettingError) -> String {
        #if PostgreSQL
            let address: DatabaseAddress
            do throws(StoreError) {
                address = try DatabaseAddress(value)
            } catch {
                throw settingError("\(error)")
            }
            guard !isFlag || !address.hasPassword else {
                throw settingError(
                    "has a password, which the list of processes would show: give the address as "
                        + Setting.databaseURL.variable)
            }
            return value
        #else
            throw settingError(
                "names a PostgreSQL database, which this build cannot use: build the collector with make build "
                    + "TRAITS=PostgreSQL, or unset this setting to keep reports in the data folder")
        #endif
    }

    private static func parseAddress(
        _ value: String, settingError: (String) -> SettingError
    ) throws(SettingError) -> String {
        let authority: Substring
        if value.hasPrefix("https://") {
            authority = value.dropFirst(8)
        } else if value.hasPrefix("http://") {
            authority = value.dropFirst(7)
        } else {
            throw settingError("must start with http:// or https://")
        }
        let trimmed = value.hasSuffix("/") ? String(value.dropLast()) : value
        guard value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            isAuthority(authority.dropLast(authority.hasSuffix("/") ? 1 : 0))
        else { throw settingError("must be an address without a path, such as https://leaks.example.com") }
        return trimmed
    }

    /// Returns `true` for `host`, `host:port` or `[address]:port`. No path may follow, because the collector serves
    /// from the root.
    private static func isAuthority(_ text: Substring) -> Bool {
        var port: Substring?
        let host: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return false }
            host = text[text.index(after: text.startIndex)..<end]
            let portSuffix = text[text.index(after: end)...]
            guard portSuffix.isEmpty || portSuffix.hasPrefix(":") else { return false }
            port = portSuffix.isEmpty ? nil : portSuffix.dropFirst()
            guard host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return false }
        } else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            host = parts[0]
            port = parts.count == 2 ? parts[1] : nil
            guard host.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }) else { return false }
        }
        guard let port else { return !host.isEmpty }
        return !host.isEmpty && UInt16(port).map { $0 > 0 } ?? false
    }

    private static func parseSecret(_ value: String, settingError: (String) -> SettingError)
        throws(SettingError)
        -> String
    {
        do {
            return try Secret(chosen: value).text
        } catch {
            throw settingError("\(error)")
        }
    }
}

/// Error for an invalid setting. It never contains the value of a secret.
public struct SettingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The flag or variable that gave the setting.
    public var source: String
    public var problem: String

    public init(source: String, problem: String) {
        self.source = source
        self.problem = problem
    }

    public var description: String { "\(source) \(problem)" }
}
