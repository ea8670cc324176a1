import Dispatch
import LeakDetector
import LeakMessage
import Testing

/// A class of the main actor, as views and their models are.
@MainActor private final class CartView {
    var tag = 0
}

private final class Cache: Sendable {}

/// An app in the Swift 6 language mode, without access to anything internal.
@MainActor private final class App {
    private var shownCount = 0
    private var reported: [String] = []
    private var detector: LeakDetector?
    private let (reports, told) = AsyncStream.makeStream(of: String.self)

    private static var limits: LeakDetector.Limits {
        var limits = LeakDetector.Limits()
        limits.graceMilliseconds = 10
        limits.secondCheckMilliseconds = 10
        return limits
    }

    /// - Returns: the number of findings that were shown until the report of a view arrived.
    func run(queue: DispatchQueue?) async -> Int {
        let told = told
        let detector = LeakDetector(
            .custom(
                onDetect: { finding in
                    if finding.isInstance(of: Cache.self) { return .ignore }
                    guard let view = finding.object(as: CartView.self) else { return .ignoreClass }
                    if view.tag == -1 { return .ignore }
                    self.shownCount += 1
                    return .report
                },
                report: { told.yield($0.className ?? "") }),
            limits: Self.limits, queue: queue)
        self.detector = detector
        let (cache, ignored, leaked) = (Cache(), CartView(), CartView())
        ignored.tag = -1
        for object in [cache, ignored, leaked] as [AnyObject] { detector.expectDeallocation(of: object) }
        for await name in reports {
            reported.append(name)
            break
        }
        #expect(reported == ["LeakDetectorTests.CartView"])
        withExtendedLifetime((cache, ignored, leaked)) {}
        return shownCount
    }
}

@MainActor @Suite struct MainActorModeTests {
    @Test func `an onDetect closure of the main actor is called on the main queue`() async {
        #expect(await App().run(queue: .main) == 1)
    }

    /// The runtime cannot check a cast to `Sendable`: every object would pass.
    @Test func `a finding returns nil if an object that is not Sendable is requested as a Sendable object`()
        async
    {
        final class Unshared {}
        let (answers, answered) = AsyncStream.makeStream(of: Bool.self)
        var limits = LeakDetector.Limits()
        (limits.graceMilliseconds, limits.secondCheckMilliseconds) = (10, 10)
        let detector = LeakDetector(
            .custom(
                onDetectOnQueue: { finding in
                    answered.yield(finding.object(as: (any AnyObject & Sendable).self) == nil)
                    return .ignore
                }), limits: limits)
        let object = Unshared()
        detector.expectDeallocation(of: object)
        for await isNil in answers {
            #expect(isNil)
            break
        }
        withExtendedLifetime(object) {}
    }

    @Test
    func `an onDetect closure of the main actor is called there, even if the detector uses another queue`()
        async
    {
        #expect(await App().run(queue: DispatchQueue(label: "own")) == 1)
    }
}
