/// What is expected to go. Nothing in it, so that any thread may have it.
class Model: @unchecked Sendable {
    required init() {}
}
final class Page: Model, @unchecked Sendable {}
final class Panel: Model, @unchecked Sendable {}
final class Session: Model, @unchecked Sendable {}

/// When an object that is not kept goes.
enum Release: Int, CaseIterable {
    /// As registration returns.
    case atOnce
    /// By another thread, which may let go of it while it is being registered.
    case elsewhere
    /// When its batch is registered.
    case soon
    /// Up to 300 ms later, of a grace period of a second.
    case withinGrace
}

/// What becomes of each of the objects, which are numbered.
struct Plan: Sendable {
    let objects: Int
    let leaks: Int

    private static var types: [Model.Type] { [Model.self, Page.self, Panel.self, Session.self] }

    func type(of ordinal: Int) -> Model.Type {
        Self.types[ordinal / Release.allCases.count % Self.types.count]
    }

    /// `nil` keeps it. Those that are kept are as many as asked for, and evenly spread.
    func release(of ordinal: Int) -> Release? {
        guard ordinal * leaks / objects == (ordinal + 1) * leaks / objects else { return nil }
        return Release.allCases[ordinal % Release.allCases.count]
    }

    /// What tells the kept object in its reports.
    func reason(of ordinal: Int) -> String { "kept \(ordinal)" }

    /// Nanoseconds for which a batch's objects are held that go within their grace period.
    func hold(of batch: Int) -> Int { batch % 7 * 50_000_000 }

    /// Names of the classes of the kept objects, by the reason that they are expected with.
    var kept: [String: String] {
        let ordinals = (0..<objects).filter { release(of: $0) == nil }
        return Dictionary(
            uniqueKeysWithValues: ordinals.map { (reason(of: $0), String(reflecting: type(of: $0))) })
    }

    /// How many objects of each class there are, by its name.
    var countsByClass: [String: Int] {
        (0..<objects).reduce(into: [:]) { counts, ordinal in
            counts[ObjectIdentifier(type(of: ordinal)), default: (type(of: ordinal), 0)].1 += 1
        }.reduce(into: [:]) { counts, entry in counts[String(reflecting: entry.value.0)] = entry.value.1 }
    }
}
