#pragma once

// Debian keeps the header in a folder of /usr/include.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
