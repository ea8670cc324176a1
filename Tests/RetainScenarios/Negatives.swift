final class WeakReference<Object: AnyObject> {
    weak var object: Object?
    init(_ object: Object) { self.object = object }
}
struct WeakBox { weak var object: AnyObject? }
enum WeakState {
    case idle
    case weak(WeakBox)
    case text(String)
}
final class Part {
    unowned let parent: Screen
    weak var weakParent: Screen?
    init(_ parent: Screen) {
        self.parent = parent
        weakParent = parent
    }
}
@safe final class Detail: Screen {
    weak var delegate: (any ScreenDelegate)?
    var onTap: (() -> Void)?
    unowned var owner: Screen?
    unowned(unsafe) var unsafeOwner: Screen?
    var unmanaged: Unmanaged<Screen>?
    var identifier: ObjectIdentifier?
    var bits: UInt = 0
    var pointer: UnsafeRawPointer?
    var reference: WeakReference<Screen>?
    var boxes: [WeakBox] = []
    var state = WeakState.idle
    var part: Part?
}
final class Changed: Screen {
    var pair: (Int, Screen)?
    var state = LoadState.idle
    var list: [Screen] = []
    var byNumber: [Int: Screen] = [:]
    var anything: Any?
}

func address(of object: AnyObject) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(object).toOpaque()
}

extension RetainScenario {
    private static func detail(_ name: String, _ change: @escaping @Sendable (Detail) -> Void)
        -> RetainScenario
    {
        .freed(name) {
            let detail = Detail()
            change(detail)
            return detail
        }
    }

    private static func changed(_ name: String, _ change: @escaping @Sendable (Changed) -> Void)
        -> RetainScenario
    {
        .freed(name) {
            let changed = Changed()
            change(changed)
            return changed
        }
    }

    /// Objects with references that do not retain them.
    static let uncounted: [RetainScenario] = [
        detail("weak delegate") { $0.delegate = $0 },
        detail("closure with weak self") { detail in detail.onTap = { [weak detail] in detail?.refresh() } },
        detail("closure with weak self and a strong object") { detail in
            let service = Service()
            detail.onTap = { [weak detail] in
                detail?.refresh()
                use(service)
            }
        },
        detail("closure with unowned self") { detail in
            detail.onTap = { [unowned detail] in detail.refresh() }
        },
        detail("closure with unowned self and a strong object") { detail in
            let service = Service()
            detail.onTap = { [unowned detail] in
                detail.refresh()
                use(service)
            }
        },
        detail("closure with unowned(unsafe) self and a strong object") { detail in
            let service = Service()
            detail.onTap = { [unowned(unsafe) detail] in
                unsafe detail.refresh()
                use(service)
            }
        },
        detail("unowned property") { $0.owner = $0 },
        detail("unowned(unsafe) property") { unsafe $0.unsafeOwner = $0 },
        detail("child with unowned and weak parent") { $0.part = Part($0) },
        detail("unmanaged property") { unsafe $0.unmanaged = Unmanaged.passUnretained($0 as Screen) },
        detail("identifier of self") { $0.identifier = ObjectIdentifier($0) },
        detail("number that is the address") { $0.bits = unsafe UInt(bitPattern: address(of: $0)) },
        detail("raw pointer to self") { unsafe $0.pointer = UnsafeRawPointer(address(of: $0)) },
        detail("object with a weak reference") { $0.reference = WeakReference($0 as Screen) },
        detail("array of weak boxes") { $0.boxes = [WeakBox(object: $0), WeakBox(object: Cache.shared)] },
        detail("enum payload with a weak box") { $0.state = .weak(WeakBox(object: $0)) },
        detail("captured weak variable") { detail in
            weak var captured: Detail? = detail
            detail.onTap = {
                captured?.refresh()
                captured = nil
            }
        },
        .freed("closure of a generic class with weak self") {
            let model = ViewModel(3)
            model.bindWeakly(Service())
            return model
        },
        .freed("task with weak self that sleeps") {
            let poller = Poller()
            Suspensions.wait {
                poller.task = Task { [weak poller] in
                    await sleepForever()
                    poller?.refresh()
                }
            }
            return poller
        },
        .freed("task that releases self before each await") {
            let poller = Poller()
            Suspensions.wait { poller.task = releasingTask(poller) }
            return poller
        },
        .freed("tree without a reference back") {
            let parent = Parent()
            parent.first = Child()
            parent.children = [Child(), Child()]
            return parent
        },
    ]

    static func releasingTask(_ poller: Poller) -> Task<Void, Never> {
        Task { [weak poller] in
            while !Task.isCancelled {
                if let poller { poller.refresh() }
                await sleepForever()
            }
        }
    }

    /// Objects that a variable or container held before, but does not hold any more.
    static let emptied: [RetainScenario] = [
        changed("optional tuple set to nil") {
            $0.pair = (1, $0)
            $0.pair = nil
        },
        changed("enum set to a case without payload") {
            $0.state = .loaded($0, 1)
            $0.state = .idle
        },
        changed("array emptied with its capacity kept") {
            $0.list = [$0, $0]
            $0.list.removeAll(keepingCapacity: true)
            $0.list.append(Screen())
        },
        changed("value of a dictionary removed") {
            $0.byNumber[1] = $0
            $0.byNumber[2] = Screen()
            $0.byNumber[1] = nil
        },
        changed("Any set to a number") {
            $0.anything = $0
            $0.anything = 1
        },
    ]
}
