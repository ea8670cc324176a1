// The declarations of UIKit that the hooks use, as documented, for the type checker.

#define MAIN_ACTOR __attribute__((swift_attr("@MainActor")))

#pragma clang assume_nonnull begin

typedef signed char BOOL;

__attribute__((objc_root_class))
@interface NSObject
@end

MAIN_ACTOR
@interface UIView : NSObject
@end

MAIN_ACTOR
@interface UIEvent : NSObject
@end

MAIN_ACTOR
@interface UIWindow : UIView
- (void)sendEvent:(UIEvent *)event __attribute__((swift_name("sendEvent(_:)")));
@end

MAIN_ACTOR
@interface UIViewController : NSObject
@property(null_resettable, nonatomic, strong) UIView *view;
- (void)viewDidLoad;
- (void)viewDidAppear:(BOOL)animated;
- (void)viewDidDisappear:(BOOL)animated;
- (void)removeFromParentViewController __attribute__((swift_name("removeFromParent()")));
@end

MAIN_ACTOR
@interface UISplitViewController : UIViewController
- (void)showDetailViewController:(UIViewController *)detail
                          sender:(nullable id)sender
    __attribute__((swift_name("showDetailViewController(_:sender:)")));
@end

#pragma clang assume_nonnull end
