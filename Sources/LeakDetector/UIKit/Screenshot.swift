#if DEBUG && canImport(UIKit) && !os(watchOS)
    internal import UIKit

    /// Pictures of views and controllers.
    @MainActor
    enum Screenshot {
        /// The maximum length of the longer side in points; a larger picture would only take more memory.
        static let longest: CGFloat = 240

        /// - Returns: `nil` for an object without a size, for an object that a picture would keep in memory, and for an object
        ///   that is neither a view nor a controller with a loaded view.
        static func make(of object: AnyObject?) -> UIImage? {
            guard let view = view(of: object) else { return nil }
            let size = view.bounds.size
            guard size.width > 0, size.height > 0 else { return nil }
            let scale = min(1, longest / max(size.width, size.height))
            let scaled = CGSize(width: size.width * scale, height: size.height * scale)
            return UIGraphicsImageRenderer(size: scaled).image { context in
                context.cgContext.scaleBy(x: scale, y: scale)
                view.layer.render(in: context.cgContext)
            }
        }

        private static func view(of object: AnyObject?) -> UIView? {
            #if !os(tvOS) && !os(visionOS)
                // A picture of this controller leaks it, as LeakedViewControllerDetector found.
                if object is UIImagePickerController { return nil }
            #endif
            return (object as? UIView) ?? (object as? UIViewController)?.viewIfLoaded
        }
    }
#endif
