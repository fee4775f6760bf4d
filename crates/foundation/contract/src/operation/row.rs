//! The macro that makes a row of the operations table.

/// A row of the operations table: `operation!(GET "/clients", ClientsRead, list_clients)` for the
/// Public API (the second fact is the scope); `operation!(app GET "/coaches", Manager,
/// list_coaches)` for the application API (the least role of a
/// coach, `SignedIn` for clients too, or `Client` for them alone); `operation!(device GET
/// "/access/device", get_device)` for what access devices ask for; `operation!(visitor GET
/// "/site/{slug}", get_site_profile)` for what strangers see of a company's public site.
#[macro_export]
macro_rules! operation {
    (visitor $method:ident $path:literal, $function:ident) => {
        $crate::operation!(@app $method $path, $crate::Access::Visitor, $function)
    };
    (app $method:ident $path:literal, SignedIn, $function:ident) => {
        $crate::operation!(@app $method $path, $crate::Access::SignedIn, $function)
    };
    (app $method:ident $path:literal, Client, $function:ident) => {
        $crate::operation!(@app $method $path, $crate::Access::Client, $function)
    };
    (app $method:ident $path:literal, $role:ident, $function:ident) => {
        $crate::operation!(@app $method $path, $crate::Access::Coach($crate::Role::$role), $function)
    };
    (@app $method:ident $path:literal, $access:expr, $function:ident) => {
        $crate::Operation::new(
            $crate::operation!(@method $method),
            $crate::Surface::App,
            $path,
            $access,
            stringify!($function),
            $function,
        )
    };
    (device $method:ident $path:literal, $function:ident) => {
        $crate::Operation::new(
            $crate::operation!(@method $method),
            $crate::Surface::Public,
            $path,
            $crate::Access::Device,
            stringify!($function),
            $function,
        )
    };
    ($method:ident $path:literal, $scope:ident, $function:ident) => {
        $crate::Operation::new(
            $crate::operation!(@method $method),
            $crate::Surface::Public,
            $path,
            $crate::Access::Scope(spotter_kernel::Scope::$scope),
            stringify!($function),
            $function,
        )
    };
    (@method GET) => { $crate::Method::Get };
    (@method POST) => { $crate::Method::Post };
    (@method PUT) => { $crate::Method::Put };
    (@method PATCH) => { $crate::Method::Patch };
    (@method DELETE) => { $crate::Method::Delete };
}
