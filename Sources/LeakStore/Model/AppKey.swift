/// An app and the environment that it ran in. All counts, versions and leaks belong to one such pair, so that a debug build
/// does not change the numbers of the build that users have.
///
/// Two keys are equal if their names consist of the same bytes, as in the database.
public struct AppKey: Hashable, Sendable {
    /// The app's id, such as `com.example.shop`.
    public var name: String
    /// `production`, `testflight`, `debug`, `ci`, or any other name.
    public var environment: String

    public init(_ name: String, environment: String = AppKey.production) {
        self.name = name
        self.environment = environment
    }

    /// The environment of reports that name none.
    public static let production = "production"

    /// Returns the name of an environment with lower-case ASCII letters, because some frameworks write `Production` for
    /// `production`.
    public static func environment(named name: String) -> String {
        let isUpper = { (byte: UInt8) in byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
        guard name.utf8.contains(where: isUpper) else { return name }
        return String(decoding: name.utf8.map { isUpper($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The scope that consists of only this app in its environment.
    public var scope: AppScope { AppScope(name, environment: environment) }

    /// The key with names that both SQLite and PostgreSQL can store: ``Swift/String/storable``.
    package var storable: AppKey { AppKey(name.storable, environment: environment.storable) }

    public static func == (one: Self, other: Self) -> Bool {
        ByteText(one.name) == ByteText(other.name) && ByteText(one.environment) == ByteText(other.environment)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ByteText(name))
        hasher.combine(ByteText(environment))
    }
}

/// One app, or all apps, in one environment: the scope of a list, a page or a release check.
public struct AppScope: Hashable, Sendable {
    /// `nil` for all apps of the environment.
    public var app: String?
    public var environment: String

    public init(_ app: String?, environment: String = AppKey.production) {
        self.app = app
        self.environment = environment
    }

    /// The parameters of a URL, by their names in the API. A value is `nil` if the parameter can be omitted.
    public var parameters: [(name: String, value: String?)] {
        [("app", app), ("environment", environment == AppKey.production ? nil : environment)]
    }

    /// The app in its environment; `nil` for all apps.
    public var key: AppKey? { app.map { AppKey($0, environment: environment) } }

    public static func == (one: Self, other: Self) -> Bool {
        one.app.map { ByteText($0) } == other.app.map { ByteText($0) }
            && ByteText(one.environment) == ByteText(other.environment)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(app.map { ByteText($0) })
        hasher.combine(ByteText(environment))
    }
}

/// The literal `nil` stands for all apps in ``AppKey/production``, and a string literal for one app in ``AppKey/production``.
extension AppScope: ExpressibleByStringLiteral, ExpressibleByNilLiteral {
    public init(stringLiteral app: String) { self.init(app) }
    public init(nilLiteral: ()) { self.init(nil) }
}

extension AppKey: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) { self.init(name) }
}

/// `com.example.shop`, or `com.example.shop (debug)`: the environment is left out if it is ``AppKey/production``.
extension AppKey: CustomStringConvertible {
    public var description: String { environment == Self.production ? name : "\(name) (\(environment))" }
}
