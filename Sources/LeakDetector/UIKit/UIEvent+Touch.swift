#if canImport(UIKit) && !os(watchOS)
    internal import UIKit

    extension UIEvent {
        /// The views under the fingers, if a finger has just come down; else `nil`.
        var touchedViews: [UIView]? {
            guard type == .touches, let allTouches, allTouches.contains(where: { $0.phase == .began }) else {
                return nil
            }
            return allTouches.compactMap(\.view)
        }
    }
#endif
