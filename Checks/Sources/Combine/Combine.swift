public protocol Publisher<Output> {
    associatedtype Output
    func sink(_ receive: @escaping (Output) -> Void)
}

public final class ObservableObjectPublisher: Publisher {
    private var receivers: [(()) -> Void] = []

    public init() {}
    public func send() { for receive in receivers { receive(()) } }
    public func sink(_ receive: @escaping (()) -> Void) { receivers.append(receive) }
}

public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    var objectWillChange: ObjectWillChangePublisher { get }
}
