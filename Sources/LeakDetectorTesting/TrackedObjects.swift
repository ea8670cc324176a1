internal import LeakCauses
internal import LeakMessage
internal import LeakPlatform

#if canImport(RetainPaths)
    internal import RetainPaths
#endif

/// The objects that must be deallocated when a test's block has ended. They are not retained. Any thread may track objects.
public final class TrackedObjects: Sendable {
    private struct Entry {
        let reference: WeakReference
        let identity: ObjectIdentifier
        let type: AnyClass
        let place: TestLocation
    }

    private struct State {
        var entries: [Entry] = []
        var indexes: [ObjectIdentifier: Int] = [:]
    }

    private let state = Guarded(State())

    init() {}

    /// Tracks an object that must be deallocated once the block has ended. An object that is tracked twice counts once.
    ///
    /// - Returns: the object.
    @discardableResult
    public func track<Object: AnyObject>(
        _ object: Object, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) -> Object {
        track(object, at: TestLocation(fileID: fileID, filePath: filePath, line: line, column: column))
        return object
    }

    func track(_ object: AnyObject, at place: TestLocation) {
        let identity = ObjectIdentifier(object)
        let entry = Entry(
            reference: WeakReference(object), identity: identity, type: type(of: object), place: place)
        state.with { state in
            // If the stored weak reference is not nil, it refers to this object: a reference to a deallocated object with the
            // same identity would be nil.
            if let known = state.indexes[identity], state.entries[known].reference.object != nil { return }
            state.indexes[identity] = state.entries.count
            state.entries.append(entry)
        }
    }

    var isEmpty: Bool { entries.isEmpty }

    var isAnyAlive: Bool { entries.contains { $0.reference.object != nil } }

    /// Objects that still exist, by class and source line, in the order of tracking.
    var survivors: [Survivors] {
        struct Key: Hashable {
            let type: ObjectIdentifier
            let line: UInt
            let column: UInt
            let fileID: String
        }
        var indexes: [Key: Int] = [:]
        var all: [Survivors] = []
        for entry in entries {
            let key = Key(
                type: ObjectIdentifier(entry.type), line: entry.place.line, column: entry.place.column,
                fileID: entry.place.fileID.description)
            let index = indexes[key] ?? all.count
            if index == all.count {
                indexes[key] = index
                // The name is the same in every launch, as in the detector.
                let name = UnknownContext.removed(from: String(reflecting: entry.type))
                all.append(Survivors(className: name, place: entry.place))
            }
            all[index].trackedCount += 1
            guard entry.reference.object != nil else { continue }
            all[index].aliveCount += 1
            if all[index].aliveCount == 1, let explanation = Self.explanation(of: entry.identity) {
                all[index].explanation = explanation.summary
                all[index].isInCycle = explanation.path?.isCycle == true
                let closures = ClosureName.names(of: explanation.closureSites)
                all[index].closures = closures.map(\.description)
                all[index].advice = explanation.advice(closureNames: closures.map(\.name))
            }
        }
        return all.filter { $0.aliveCount > 0 }
    }

    #if canImport(RetainPaths)
        private static let finder = RetainPathFinder(budget: .thorough, search: [.globals, .heap])

        /// Finds the references that keep a living object. No variable here retains the object.
        private static func explanation(of object: ObjectIdentifier) -> RetainExplanation? {
            guard let finder, let address = unsafe UnsafeRawPointer(bitPattern: UInt(bitPattern: object))
            else { return nil }
            return unsafe finder.explain(address, callerReferences: 0)
        }
    #else
        private static func explanation(of object: ObjectIdentifier) -> RetainExplanation? { nil }
    #endif

    /// The tracked objects. They are checked outside of the lock, since a check can deallocate an object, whose `deinit` may track
    /// others.
    private var entries: [Entry] { state.with { $0.entries } }
}

/// A reference that does not retain its object.
final class WeakReference: @unchecked Sendable {
    // `Sendable` is unchecked: `object` is written only by `init`; the runtime reads a weak reference atomically.
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
}
