extension LeakPattern {
    /// Combine, OpenCombine, RxSwift and similar libraries, and Observation.
    static let reactive: [LeakPattern] = [
        LeakPattern(
            "combine_assign", name: "assign(to:on:) with self",
            explanation:
                "`assign(to:on:)` keeps the object that it assigns to, and the object keeps the subscription.",
            remedy: "publisher.sink { [weak self] value in self?.property = value }.store(in: &cancellables)",
            rules: .certain(.of("Subscribers.Assign"), in: .cycle),
            .certain(.of("AnyCancellable"), .of("Assign"), in: .cycle)),
        LeakPattern(
            "combine_sink", name: "sink or operator that captures self",
            explanation:
                "A subscription or publisher keeps the closure of `sink` or of an operator such as `map`, and the closure captures the object.",
            remedy:
                "publisher.sink { [weak self] value in … }.store(in: &cancellables)  // and so in map and other operators",
            rules: .certain(
                .of(
                    "Subscribers.Sink", "Publishers.", "PublisherBox", "Published.", "PublishedSubject",
                    "PublishedSubject."
                ).closure, in: .cycle),
            .probable(.of("AnyCancellable"), in: .closure),
            .probable(.of("Sink", "Subscribers.Sink").closure)),
        LeakPattern(
            "rx_subscription", name: "Subscription of a reactive library",
            explanation:
                "A subscription, signal or dispose bag of a reactive library such as RxSwift keeps a closure, and the closure captures the object.",
            remedy:
                "observable.subscribe(onNext: { [weak self] value in … }).disposed(by: disposeBag)",
            rules: .certain(.of("RxSwift.").closure, in: .cycle),
            .probable(
                .of(
                    "RxSwift.", "RxCocoa.", "RxRelay.", "ReactiveSwift.", "ReactiveCocoa.", "ReactiveKit.",
                    "Bond.", "RAC*"
                ).closure),
            .probable(
                .of(ending: "DisposeBag", "Disposable", "Disposer", "AnonymousObserver", "SinkDisposer"),
                in: .closure)),
        LeakPattern(
            "observation_tracking", name: "Change handler of withObservationTracking",
            explanation:
                "The observed model keeps the change handler until the next change, and the handler captures the object that keeps the model.",
            remedy: """
                withObservationTracking { … } onChange: { [weak self] in … }
                """,
            rules: .certain(.of("ObservationRegistrar."), .any.closure, in: .cycle),
            .certain(.of("ObservationRegistrar.").closure, in: .cycle),
            .probable(
                .of(ending: "Registrar.Extent", "Registrar.Context", "Registrar.State").closure, in: .cycle),
            .probable(.any.from("observationRegistrar", "extent"), .any, .any.closure, in: .cycle)),
    ]
}
