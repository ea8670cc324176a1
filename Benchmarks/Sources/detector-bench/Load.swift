/// Cost of one object.
struct Cost {
    /// Nanoseconds by the clock, and nanoseconds of the registering thread's processor time.
    var registering, registeringProcessor: Double
    /// Bytes of heap while the object is waited for, the object itself left out; 0 when not all wait at once.
    var heap: Double
    /// Nanoseconds of processor time of all threads, from its registration until it was checked.
    var life: Double
}

/// Order in which objects are registered and released.
enum Load: CustomStringConvertible {
    /// All objects are registered, then all are released.
    case atOnce(Int)
    /// Each object is released a millisecond before the next comes, so that the code that checks objects falls asleep meanwhile.
    case oneByOne(Int)

    var description: String {
        switch self {
        case .atOnce(let count): "\(count)"
        case .oneByOne(let count): "\(count), 1 ms apart"
        }
    }

    func cost<Way: DetectionMethod>(of _: Way.Type) -> Cost {
        switch self {
        case .atOnce(let count): atOnce(Way.self, count)
        case .oneByOne(let count): oneByOne(Way.self, count)
        }
    }

    private func atOnce<Way: DetectionMethod>(_: Way.Type, _ count: Int) -> Cost {
        var objects = (0..<count).map { _ in Model() }
        let heap = Usage.heap
        var contender = Way(outstanding: count)
        let (life, own, start) = (Usage.processorTime, Usage.ownProcessorTime, Usage.time)
        for object in objects { contender.expect(object) }
        let (registered, ownRegistered) = (Usage.time - start, Usage.ownProcessorTime - own)
        let besides = Usage.ownProcessorTime
        let taken = Usage.heap - heap
        objects = []
        let leftOut = Usage.ownProcessorTime - besides
        contender.finish()
        let lived = Usage.processorTime - life - leftOut
        func each(_ sum: Int) -> Double { Double(sum) / Double(count) }
        return Cost(
            registering: each(registered), registeringProcessor: each(ownRegistered), heap: each(taken),
            life: each(lived))
    }

    private func oneByOne<Way: DetectionMethod>(_: Way.Type, _ count: Int) -> Cost {
        var contender = Way(outstanding: count)
        let (life, own) = (Usage.processorTime, Usage.ownProcessorTime)
        var registered = 0
        for _ in 0..<count {
            Pause.milliseconds(1)
            let object = Model()
            let start = Usage.time
            contender.expect(object)
            registered += Usage.time - start
        }
        // The sleep belongs to this program; the clock time of a call is used as its processor time.
        let leftOut = Usage.ownProcessorTime - own - registered
        contender.finish()
        let lived = Usage.processorTime - life - leftOut
        func each(_ sum: Int) -> Double { Double(sum) / Double(count) }
        return Cost(
            registering: each(registered), registeringProcessor: each(registered), heap: 0, life: each(lived))
    }
}
