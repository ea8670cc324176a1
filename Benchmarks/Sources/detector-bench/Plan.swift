/// An object that is expected to be deallocated. It has no content, so that any thread may use it.
class Model: @unchecked Sendable {
    required init() {}
}
final class Page: Model, @unchecked Sendable {}
final class Panel: Model, @unchecked Sendable {}
final class Session: Model, @unchecked Sendable {}

/// Time at which an object that is not kept is released.
enum Release: Int, CaseIterable {
    /// When registration returns.
    case atOnce
    /// By another thread, which may release the object while it is being registered.
    case elsewhere
    /// As soon as the whole batch of the object is registered.
    case soon
    /// Up to 300 ms later, within a grace period of a second.
    case withinGrace
}

/// Plan of what happens to each of the numbered objects.
struct Plan: Sendable {
    let objects: Int
    let leaks: Int

    private static var types: [Model.Type] { [Model.self, Page.self, Panel.self, Session.self] }

    func type(of ordinal: Int) -> Model.Type {
        Self.types[ordinal / Release.allCases.count % Self.types.count]
    }

    /// Returns the time of the release; `nil` for an object that is kept. ``leaks`` objects are kept, and evenly spread.
    func release(of ordinal: Int) -> Release? {
        guard ordinal * leaks / objects == (ordinal + 1) * leaks / objects else { return nil }
        return Release.allCases[ordinal % Release.allCases.count]
    }

    /// Returns the reason that identifies the kept object in its reports.
    func reason(of ordinal: Int) -> String { "kept \(ordinal)" }

    /// Returns the nanoseconds for which a batch holds the objects that are released within their grace period.
    func holdNanoseconds(of batch: Int) -> Int { batch % 7 * 50_000_000 }

    /// Class names of the kept objects, by the reason of their expectation.
    var keptClassNames: [String: String] {
        let ordinals = (0..<objects).filter { release(of: $0) == nil }
        return Dictionary(
            uniqueKeysWithValues: ordinals.map { (reason(of: $0), String(reflecting: type(of: $0))) })
    }

    /// The number of objects of each class, by class name.
    var countsByClass: [String: Int] {
        (0..<objects).reduce(into: [:]) { counts, ordinal in
            counts[ObjectIdentifier(type(of: ordinal)), default: (type(of: ordinal), 0)].1 += 1
        }.reduce(into: [:]) { counts, entry in counts[String(reflecting: entry.value.0)] = entry.value.1 }
    }
}
