extension LeakPattern {
    /// Combine, OpenCombine, RxSwift and Observation.
    static let reactive: [LeakPattern] = [
        LeakPattern(
            "combine_assign", name: "assign(to:on:) with self",
            explanation:
                "`assign(to:on:)` keeps the object that it assigns to, and the object keeps the subscription.",
            remedy: "publisher.sink { [weak self] value in self?.property = value }.store(in: &cancellables)",
            rules: .certain(.of("Combine.Subscribers.Assign", "OpenCombine.Subscribers.Assign"), in: .cycle),
            .certain(.of("AnyCancellable"), .of("Assign"), in: .cycle)),
        LeakPattern(
            "combine_operator", name: "Operator that captures self",
            explanation:
                "The object keeps the publisher or its subscription, and the closure of an operator such as `map` captures the object.",
            remedy: "publisher.map { [weak self] value in … }",
            rules: .certain(
                .of(
                    "Combine.Publishers.", "OpenCombine.Publishers.", "Combine.PublisherBox",
                    "OpenCombine.PublisherBox"
                ).closure, in: .cycle), .probable(.of("AnyCancellable"), .of("Inner").closure, in: .cycle)),
        LeakPattern(
            "published_subscriber", name: "Subscription to an own published property",
            explanation:
                "The object subscribes to its own `@Published` property, and the subscriber captures the object.",
            remedy: "$property.sink { [weak self] value in … }.store(in: &cancellables)",
            rules: .certain(
                .of(
                    "Combine.Published.", "Combine.PublishedSubject", "Combine.PublishedSubject.",
                    "OpenCombine.Published.",
                    "OpenCombine.PublishedSubject", "OpenCombine.PublishedSubject."
                ).closure, in: .cycle)),
        LeakPattern(
            "combine_sink", name: "sink that captures self",
            explanation: "The object keeps the subscription, and the closure of `sink` captures the object.",
            remedy: "publisher.sink { [weak self] value in … }.store(in: &cancellables)",
            rules: .certain(.of("Combine.Subscribers.Sink", "OpenCombine.Subscribers.Sink"), in: .cycle),
            .certain(.of("AnyCancellable"), .of("Sink"), in: .cycle),
            .probable(.of("AnyCancellable", "OpenCombine.AnyCancellable").closure, in: .cycle)),
        LeakPattern(
            "rx_subscription", name: "Subscription in a dispose bag",
            explanation:
                "The object keeps the dispose bag, the bag keeps the subscription, and the subscription's closure captures the object.",
            remedy:
                "observable.subscribe(onNext: { [weak self] value in … }).disposed(by: disposeBag)",
            rules: .certain(.of("RxSwift.").closure, in: .cycle)),
        LeakPattern(
            "observation_tracking", name: "Change handler of withObservationTracking",
            explanation:
                "The observed model keeps the change handler until the next change, and the handler captures the object that keeps the model.",
            remedy: """
                withObservationTracking { … } onChange: { [weak self] in … }
                """,
            rules: .certain(.of("Observation.ObservationRegistrar."), .any.closure, in: .cycle),
            .certain(.of("Observation.ObservationRegistrar.").closure, in: .cycle),
            .probable(.any.from("observationRegistrar", "extent"), .any, .any.closure, in: .cycle)),
    ]
}
