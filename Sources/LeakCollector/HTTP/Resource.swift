internal import LeakHTTPServer
internal import LeakMessage
internal import LeakStore

/// Content that is read at an address: its parameters, and how it is loaded and shown.
///
/// Made on the loop of a connection from the head of a request; answers on a thread that may wait for the store. Equal resources
/// have equal answers, as long as nothing is committed. A new one is one file, and one line in `Resources`.
protocol Resource: Hashable, Sendable {
    /// - Throws: ``Problem`` 400 for a parameter that is no such value.
    init(_ request: borrowing Request, _ parameters: Parameters) throws(Problem)
}

/// Content that programs read as JSON.
protocol JSONResource: Resource {
    /// The part of its address after `/api/v1`, such as `/leaks/{leak}`.
    static var jsonPath: String { get }

    /// Blocks on the store.
    ///
    /// - Parameter writer: inside the object of the answer.
    /// - Throws: ``Problem``, ``MovedResource`` or ``StoreError``.
    func writeJSON(to writer: inout JSONWriter, from view: StoreView) throws
}

/// Content that people read as a page.
protocol PageResource: Resource {
    /// Its address, such as `/leaks/{leak}`.
    static var pagePath: String { get }

    /// True if the page follows from what the store holds and the minute alone: it says how long ago things were in no smaller
    /// unit, so that it is the same whichever thread makes it.
    static var isRemembered: Bool { get }

    /// Blocks on the store.
    ///
    /// - Throws: ``Problem``, ``MovedResource`` or ``StoreError``.
    func page(from view: StoreView) throws -> HTML
}

extension PageResource {
    static var isRemembered: Bool { true }
}

/// Content that is read as text, to be pasted somewhere.
protocol TextResource: Resource {
    /// The part of its address after `/api/v1`, such as `/leaks/{leak}/markdown`.
    static var textPath: String { get }
    /// Such as `text/markdown; charset=utf-8`.
    static var mediaType: String { get }

    /// Blocks on the store.
    ///
    /// - Throws: ``Problem``, ``MovedResource`` or ``StoreError``.
    func text(from view: StoreView) throws -> String
}

/// Thrown where the content has another address by now, such as a leak that was merged into another.
struct MovedResource: Error {
    /// The address, with what precedes it on this server.
    var location: String
}

extension Parameters {
    /// The leak in the address.
    var leak: LeakID {
        get throws(Problem) {
            guard let leak = self["leak"].flatMap({ LeakID($0) }) else { throw .noLeak }
            return leak
        }
    }
}

extension Request {
    /// The app that limits a list. Forms send an empty one for all apps.
    var queriedApp: String? {
        query("app").flatMap { $0.isEmpty ? nil : $0 }
    }
}
