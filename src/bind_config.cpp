#include <Rcpp.h>

#include <thread>

#include "core/device/cpu/micro.h"

// [[Rcpp::export(rng = false)]]
Rcpp::List fk_config() {
  using Rcpp::Named;
  Rcpp::CharacterVector isas;
  for (const flexkern::Micro* micro : flexkern::available_micro()) isas.push_back(micro->name);
  return Rcpp::List::create(Named("isa") = Rcpp::String(isas[0]), Named("isas") = isas,
                            Named("cuda") = false,
                            Named("cores") = static_cast<int>(std::thread::hardware_concurrency()));
}
