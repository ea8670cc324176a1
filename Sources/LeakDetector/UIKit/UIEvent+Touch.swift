#if canImport(UIKit) && !os(watchOS)
    internal import UIKit

    extension UIEvent {
        /// The view that a finger has just come down on.
        var touchedView: UIView? {
            guard type == .touches else { return nil }
            return allTouches?.first { $0.phase == .began }?.view
        }
    }
#endif
