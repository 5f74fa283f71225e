// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
// The one translation unit that holds the compiled part of Boost.Asio.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
