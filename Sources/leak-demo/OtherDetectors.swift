import Foundation

/// Texts of other detectors that a team may already use. The collector reads the class and the path from each text.
enum OtherDetectors {
    static let texts = [
        // LeakedViewControllerDetector 1.4: a leaked controller, its late release, and a navigation controller with
        // its children.
        "VIEWCONTROLLER STILL IN MEMORY <leak_demo.OnboardingController: 0x7f88acc69260>",
        """
        LEAKED VIEWCONTROLLER DEINITED <leak_demo.OnboardingController: 0x7f88acc69260>

        Deinited after 8.912s.
        """,
        """
        NAVIGATIONCONTROLLER STILL IN MEMORY <UINavigationController: 0x10401a200>
        📄 <leak_demo.SettingsController: 0x1057042f0>
        📄 <leak_demo.AboutController: 0x105704ab0>
        """,
        "VIEW STILL IN MEMORY <leak_demo.BannerView: 0x15ba0fde0; frame = (0 0; 320 50); layer = <CALayer: 0x28249e800>>",
        // MLeaksFinder: the path of owners, the leaked object last.
        """
        Memory Leak: (
            MyTableViewController,
            UITableView,
            UITableViewWrapperView,
            MyTableViewCell
        )
        """,
        // DeallocationChecker.
        "leak_demo/DeallocationChecker.swift:81: Fatal error: HelpController not deallocated after being dismissed",
        // The `fatalError` of `expectDeallocation`, from the article about SwiftUI view models.
        "leak_demo/LeakDetection.swift:7: Fatal error: Expected deallocation of leak_demo.SearchModel",
    ]

    /// The error that LeakedViewControllerDetector's README recommends for Crashlytics.
    static var error: NSError {
        NSError(
            domain: "com.example.leak-demo", code: 8,
            userInfo: [
                NSLocalizedDescriptionKey:
                    "VIEWCONTROLLER STILL IN MEMORY <leak_demo.WishlistController: 0x7f9a5d40>"
            ])
    }
}
