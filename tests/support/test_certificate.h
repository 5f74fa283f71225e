// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: 2026 The Vicinity authors
#pragma once

// A certificate of its own making for localhost and 127.0.0.1, in two files.

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace vicinity::test {

class TestCertificate {
 public:
  explicit TestCertificate(const std::string& common_name = "localhost") {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("vicinity_tls_" + std::to_string(getpid()) + "_" + std::to_string(++count));
    std::filesystem::create_directory(folder_);
    renew(common_name);
  }
  ~TestCertificate() { std::filesystem::remove_all(folder_); }
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;

  std::string certificate_file() const { return (folder_ / "certificate.pem").string(); }
  std::string private_key_file() const { return (folder_ / "key.pem").string(); }

  /// Another pair in the same files.
  void renew(const std::string& common_name) const {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"),
                                                                  EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
    X509* x = certificate.get();
    X509_set_version(x, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 24 * 3600);
    X509_set_pubkey(x, key.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1,
                               0);
    X509_set_issuer_name(x, X509_get_subject_name(x));
    const std::string names = "DNS:" + common_name + ",IP:127.0.0.1";
    for (const auto& [id, text] : {std::pair{NID_subject_alt_name, names},
                                   std::pair{NID_basic_constraints, std::string("CA:TRUE")}}) {
      X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, id, text.c_str());
      X509_add_ext(x, extension, -1);
      X509_EXTENSION_free(extension);
    }
    X509_sign(x, key.get(), EVP_sha256());
    std::FILE* file = std::fopen(certificate_file().c_str(), "w");
    PEM_write_X509(file, x);
    std::fclose(file);
    file = std::fopen(private_key_file().c_str(), "w");
    PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace vicinity::test
