import Foundation
import Observation

/// Scenarios of subscriptions that are never ended.
@MainActor
enum Subscriptions {
    static var scenarioGroup: ScenarioGroup {
        ScenarioGroup(
            title: "subscriptions that are never ended",
            scenarios: [
                Scenario(
                    "a set of subscriptions whose closures hold its owner",
                    keptBy: "Basket.bag[*] → Subscription.sink → closure → Basket",
                    path: ["TabBar", "Basket"], reason: "replaced"
                ) { goesWrong in
                    let basket = Basket()
                    if goesWrong { basket.bag.insert(Subscription { basket.cents += $0 }) }
                    return basket
                },
                Scenario(
                    "a block in the NotificationCenter",
                    keptBy: "global → NotificationCenter.registrar[*][*].storage[*] → closure → OfferBanner",
                    "NotificationCenter.registrar[*][*].storage[*] → closure → OfferBanner",
                    path: ["Offers", "Banner"], reason: "removed"
                ) { goesWrong in
                    let banner = OfferBanner()
                    if goesWrong {
                        banner.token = NotificationCenter.default.addObserver(
                            forName: .offersChanged, object: nil, queue: .main
                        ) { _ in MainActor.assumeIsolated { banner.reload() } }
                    }
                    return banner
                },
                Scenario(
                    "an observer that is never removed", keptBy: "global[*] → closure → PriceTicker",
                    path: ["TabBar", "Offers"], reason: "removed"
                ) { goesWrong in
                    let ticker = PriceTicker()
                    if goesWrong { PriceObservers.observers.append { ticker.price += 1 } }
                    return ticker
                },
            ] + observation)
    }

    private static var observation: [Scenario] {
        guard #available(macOS 14, iOS 17, tvOS 17, *) else { return [] }
        return [
            Scenario(
                "an @Observable model that waits for its own change",
                keptBy: "ObservationRegistrar.Extent.context.state.buffer → "
                    + "_ManagedCriticalState<ObservationRegistrar.State>.LockedBuffer.header.observations[*]"
                    + ".kind(.willSetTracking) → closure → RatingModel._$observationRegistrar.extent → "
                    + "ObservationRegistrar.Extent",
                path: ["Product", "Rating"], reason: "dismissed"
            ) { goesWrong in
                let model = RatingModel()
                if goesWrong {
                    withObservationTracking {
                        _ = model.stars
                    } onChange: {
                        Task { await model.refresh() }
                    }
                }
                return model
            }
        ]
    }
}

extension Notification.Name {
    fileprivate static let offersChanged = Notification.Name("offersChanged")
}

@MainActor
private enum PriceObservers {
    static var observers: [() -> Void] = []
}

private final class Basket {
    var cents = 0
    var bag: Set<Subscription> = []
}

/// A subscription that lasts as long as it is retained, as in Combine.
private final class Subscription: Hashable {
    private let sink: (Int) -> Void

    init(_ sink: @escaping (Int) -> Void) { self.sink = sink }

    static func == (left: Subscription, right: Subscription) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@MainActor
private final class OfferBanner {
    var token: (any NSObjectProtocol)?
    func reload() {}
}

private final class PriceTicker {
    var price = 0
}

@available(macOS 14, iOS 17, tvOS 17, *)
@MainActor @Observable
private final class RatingModel {
    private(set) var stars = 0
    func refresh() { stars += 1 }
}
