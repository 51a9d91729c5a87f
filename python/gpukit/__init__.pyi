# ruff: noqa: A004
import builtins
from collections.abc import Mapping
from datetime import date
from typing import Any, Protocol

from gpukit import accelerator as accelerator
from gpukit import amp as amp
from gpukit import array_api as array_api
from gpukit import autograd as autograd
from gpukit import backends as backends
from gpukit import config as config
from gpukit import cuda as cuda
from gpukit import distributed as distributed
from gpukit import distributions as distributions
from gpukit import errors as errors
from gpukit import fft as fft
from gpukit import func as func
from gpukit import linalg as linalg
from gpukit import lint as lint
from gpukit import multiprocessing as multiprocessing
from gpukit import nn as nn
from gpukit import optim as optim
from gpukit import port as port
from gpukit import profiler as profiler
from gpukit import random as random
from gpukit import return_types as return_types
from gpukit import signal as signal
from gpukit import special as special
from gpukit import testing as testing
from gpukit import utils as utils
from gpukit import version as version
from gpukit._arguments import is_tensor as is_tensor
from gpukit._checkpoint import load as load
from gpukit._checkpoint import save as save
from gpukit._compile.compiling import compile as compile
from gpukit._core import Generator as Generator
from gpukit._core import Size as Size
from gpukit._core import Tensor as Tensor
from gpukit._core import abs as abs
from gpukit._core import absolute as absolute
from gpukit._core import acos as acos
from gpukit._core import acosh as acosh
from gpukit._core import add as add
from gpukit._core import addbmm as addbmm
from gpukit._core import addcdiv as addcdiv
from gpukit._core import addcmul as addcmul
from gpukit._core import addmm as addmm
from gpukit._core import addmv as addmv
from gpukit._core import addr as addr
from gpukit._core import adjoint as adjoint
from gpukit._core import all as all
from gpukit._core import allclose as allclose
from gpukit._core import amax as amax
from gpukit._core import amin as amin
from gpukit._core import aminmax as aminmax
from gpukit._core import angle as angle
from gpukit._core import any as any
from gpukit._core import arange as arange
from gpukit._core import arccos as arccos
from gpukit._core import arccosh as arccosh
from gpukit._core import arcsin as arcsin
from gpukit._core import arcsinh as arcsinh
from gpukit._core import arctan as arctan
from gpukit._core import arctan2 as arctan2
from gpukit._core import arctanh as arctanh
from gpukit._core import argmax as argmax
from gpukit._core import argmin as argmin
from gpukit._core import argsort as argsort
from gpukit._core import argwhere as argwhere
from gpukit._core import as_strided as as_strided
from gpukit._core import as_strided_scatter as as_strided_scatter
from gpukit._core import as_tensor as as_tensor
from gpukit._core import asarray as asarray
from gpukit._core import asin as asin
from gpukit._core import asinh as asinh
from gpukit._core import atan as atan
from gpukit._core import atan2 as atan2
from gpukit._core import atanh as atanh
from gpukit._core import atleast_1d as atleast_1d
from gpukit._core import atleast_2d as atleast_2d
from gpukit._core import atleast_3d as atleast_3d
from gpukit._core import baddbmm as baddbmm
from gpukit._core import bernoulli as bernoulli
from gpukit._core import bfloat16 as bfloat16
from gpukit._core import bincount as bincount
from gpukit._core import bitwise_and as bitwise_and
from gpukit._core import bitwise_left_shift as bitwise_left_shift
from gpukit._core import bitwise_not as bitwise_not
from gpukit._core import bitwise_or as bitwise_or
from gpukit._core import bitwise_right_shift as bitwise_right_shift
from gpukit._core import bitwise_xor as bitwise_xor
from gpukit._core import block_diag as block_diag
from gpukit._core import bmm as bmm
from gpukit._core import bool as bool
from gpukit._core import broadcast_shapes as broadcast_shapes
from gpukit._core import broadcast_tensors as broadcast_tensors
from gpukit._core import broadcast_to as broadcast_to
from gpukit._core import bucketize as bucketize
from gpukit._core import can_cast as can_cast
from gpukit._core import cartesian_prod as cartesian_prod
from gpukit._core import cat as cat
from gpukit._core import cbrt as cbrt
from gpukit._core import cdist as cdist
from gpukit._core import cdouble as cdouble
from gpukit._core import ceil as ceil
from gpukit._core import cfloat as cfloat
from gpukit._core import chain_matmul as chain_matmul
from gpukit._core import cholesky as cholesky
from gpukit._core import cholesky_inverse as cholesky_inverse
from gpukit._core import cholesky_solve as cholesky_solve
from gpukit._core import chunk as chunk
from gpukit._core import clamp as clamp
from gpukit._core import clamp_max as clamp_max
from gpukit._core import clamp_min as clamp_min
from gpukit._core import clip as clip
from gpukit._core import clone as clone
from gpukit._core import combinations as combinations
from gpukit._core import complex as complex
from gpukit._core import complex64 as complex64
from gpukit._core import complex128 as complex128
from gpukit._core import concat as concat
from gpukit._core import concatenate as concatenate
from gpukit._core import conj as conj
from gpukit._core import conj_physical as conj_physical
from gpukit._core import convolve as convolve
from gpukit._core import copysign as copysign
from gpukit._core import corrcoef as corrcoef
from gpukit._core import cos as cos
from gpukit._core import cosh as cosh
from gpukit._core import count_nonzero as count_nonzero
from gpukit._core import cov as cov
from gpukit._core import cross as cross
from gpukit._core import cummax as cummax
from gpukit._core import cummin as cummin
from gpukit._core import cumprod as cumprod
from gpukit._core import cumsum as cumsum
from gpukit._core import cumulative_trapezoid as cumulative_trapezoid
from gpukit._core import default_generator as default_generator
from gpukit._core import deg2rad as deg2rad
from gpukit._core import det as det
from gpukit._core import device as device
from gpukit._core import diag as diag
from gpukit._core import diag_embed as diag_embed
from gpukit._core import diagflat as diagflat
from gpukit._core import diagonal as diagonal
from gpukit._core import diagonal_scatter as diagonal_scatter
from gpukit._core import diff as diff
from gpukit._core import digamma as digamma
from gpukit._core import dist as dist
from gpukit._core import div as div
from gpukit._core import divide as divide
from gpukit._core import dot as dot
from gpukit._core import double as double
from gpukit._core import dsplit as dsplit
from gpukit._core import dstack as dstack
from gpukit._core import dtype as dtype
from gpukit._core import einsum as einsum
from gpukit._core import empty as empty
from gpukit._core import empty_like as empty_like
from gpukit._core import entr as entr
from gpukit._core import eq as eq
from gpukit._core import equal as equal
from gpukit._core import erf as erf
from gpukit._core import erfc as erfc
from gpukit._core import erfcx as erfcx
from gpukit._core import erfinv as erfinv
from gpukit._core import exp as exp
from gpukit._core import exp2 as exp2
from gpukit._core import expit as expit
from gpukit._core import expm1 as expm1
from gpukit._core import eye as eye
from gpukit._core import fix as fix
from gpukit._core import flatten as flatten
from gpukit._core import flip as flip
from gpukit._core import fliplr as fliplr
from gpukit._core import flipud as flipud
from gpukit._core import float as float
from gpukit._core import float16 as float16
from gpukit._core import float32 as float32
from gpukit._core import float64 as float64
from gpukit._core import float_power as float_power
from gpukit._core import floor as floor
from gpukit._core import floor_divide as floor_divide
from gpukit._core import fmax as fmax
from gpukit._core import fmin as fmin
from gpukit._core import fmod as fmod
from gpukit._core import frac as frac
from gpukit._core import frexp as frexp
from gpukit._core import from_dlpack as from_dlpack
from gpukit._core import from_numpy as from_numpy
from gpukit._core import frombuffer as frombuffer
from gpukit._core import full as full
from gpukit._core import full_like as full_like
from gpukit._core import gather as gather
from gpukit._core import gcd as gcd
from gpukit._core import ge as ge
from gpukit._core import gelu as gelu
from gpukit._core import geqrf as geqrf
from gpukit._core import ger as ger
from gpukit._core import get_default_device as get_default_device
from gpukit._core import get_default_dtype as get_default_dtype
from gpukit._core import get_float32_matmul_precision as get_float32_matmul_precision
from gpukit._core import get_num_threads as get_num_threads
from gpukit._core import gradient as gradient
from gpukit._core import greater as greater
from gpukit._core import greater_equal as greater_equal
from gpukit._core import gt as gt
from gpukit._core import half as half
from gpukit._core import heaviside as heaviside
from gpukit._core import histc as histc
from gpukit._core import histogram as histogram
from gpukit._core import hsplit as hsplit
from gpukit._core import hstack as hstack
from gpukit._core import hypot as hypot
from gpukit._core import i0 as i0
from gpukit._core import i0e as i0e
from gpukit._core import i1 as i1
from gpukit._core import i1e as i1e
from gpukit._core import igamma as igamma
from gpukit._core import igammac as igammac
from gpukit._core import imag as imag
from gpukit._core import index_add as index_add
from gpukit._core import index_copy as index_copy
from gpukit._core import index_fill as index_fill
from gpukit._core import index_put as index_put
from gpukit._core import index_reduce as index_reduce
from gpukit._core import index_select as index_select
from gpukit._core import initial_seed as initial_seed
from gpukit._core import inner as inner
from gpukit._core import int as int
from gpukit._core import int8 as int8
from gpukit._core import int16 as int16
from gpukit._core import int32 as int32
from gpukit._core import int64 as int64
from gpukit._core import interp as interp
from gpukit._core import inverse as inverse
from gpukit._core import is_complex as is_complex
from gpukit._core import is_conj as is_conj
from gpukit._core import is_floating_point as is_floating_point
from gpukit._core import is_grad_enabled as is_grad_enabled
from gpukit._core import is_inference as is_inference
from gpukit._core import is_inference_mode_enabled as is_inference_mode_enabled
from gpukit._core import is_nonzero as is_nonzero
from gpukit._core import is_same_size as is_same_size
from gpukit._core import is_signed as is_signed
from gpukit._core import isclose as isclose
from gpukit._core import isfinite as isfinite
from gpukit._core import isin as isin
from gpukit._core import isinf as isinf
from gpukit._core import isnan as isnan
from gpukit._core import isneginf as isneginf
from gpukit._core import isposinf as isposinf
from gpukit._core import isreal as isreal
from gpukit._core import istft as istft
from gpukit._core import kron as kron
from gpukit._core import kthvalue as kthvalue
from gpukit._core import lcm as lcm
from gpukit._core import ldexp as ldexp
from gpukit._core import le as le
from gpukit._core import lerp as lerp
from gpukit._core import less as less
from gpukit._core import less_equal as less_equal
from gpukit._core import lgamma as lgamma
from gpukit._core import linspace as linspace
from gpukit._core import log as log
from gpukit._core import log1p as log1p
from gpukit._core import log2 as log2
from gpukit._core import log10 as log10
from gpukit._core import log_ndtr as log_ndtr
from gpukit._core import log_softmax as log_softmax
from gpukit._core import logaddexp as logaddexp
from gpukit._core import logaddexp2 as logaddexp2
from gpukit._core import logcumsumexp as logcumsumexp
from gpukit._core import logdet as logdet
from gpukit._core import logical_and as logical_and
from gpukit._core import logical_not as logical_not
from gpukit._core import logical_or as logical_or
from gpukit._core import logical_xor as logical_xor
from gpukit._core import logit as logit
from gpukit._core import logsumexp as logsumexp
from gpukit._core import long as long
from gpukit._core import lt as lt
from gpukit._core import lu as lu
from gpukit._core import lu_solve as lu_solve
from gpukit._core import lu_unpack as lu_unpack
from gpukit._core import manual_seed as manual_seed
from gpukit._core import masked_fill as masked_fill
from gpukit._core import masked_scatter as masked_scatter
from gpukit._core import masked_select as masked_select
from gpukit._core import matmul as matmul
from gpukit._core import matrix_exp as matrix_exp
from gpukit._core import matrix_power as matrix_power
from gpukit._core import max as max
from gpukit._core import maximum as maximum
from gpukit._core import mean as mean
from gpukit._core import median as median
from gpukit._core import meshgrid as meshgrid
from gpukit._core import min as min
from gpukit._core import minimum as minimum
from gpukit._core import mm as mm
from gpukit._core import mode as mode
from gpukit._core import moveaxis as moveaxis
from gpukit._core import movedim as movedim
from gpukit._core import msort as msort
from gpukit._core import mul as mul
from gpukit._core import multinomial as multinomial
from gpukit._core import multiply as multiply
from gpukit._core import mv as mv
from gpukit._core import mvlgamma as mvlgamma
from gpukit._core import nan_to_num as nan_to_num
from gpukit._core import nanmean as nanmean
from gpukit._core import nanmedian as nanmedian
from gpukit._core import nanquantile as nanquantile
from gpukit._core import nansum as nansum
from gpukit._core import narrow as narrow
from gpukit._core import narrow_copy as narrow_copy
from gpukit._core import ndtr as ndtr
from gpukit._core import ndtri as ndtri
from gpukit._core import ne as ne
from gpukit._core import neg as neg
from gpukit._core import negative as negative
from gpukit._core import nextafter as nextafter
from gpukit._core import nonzero as nonzero
from gpukit._core import nonzero_static as nonzero_static
from gpukit._core import norm as norm
from gpukit._core import normal as normal
from gpukit._core import not_equal as not_equal
from gpukit._core import numel as numel
from gpukit._core import ones as ones
from gpukit._core import ones_like as ones_like
from gpukit._core import orgqr as orgqr
from gpukit._core import outer as outer
from gpukit._core import pdist as pdist
from gpukit._core import permute as permute
from gpukit._core import permute_dims as permute_dims
from gpukit._core import pinverse as pinverse
from gpukit._core import polar as polar
from gpukit._core import polygamma as polygamma
from gpukit._core import positive as positive
from gpukit._core import pow as pow
from gpukit._core import prod as prod
from gpukit._core import promote_types as promote_types
from gpukit._core import put as put
from gpukit._core import qr as qr
from gpukit._core import quantile as quantile
from gpukit._core import rad2deg as rad2deg
from gpukit._core import rand as rand
from gpukit._core import rand_like as rand_like
from gpukit._core import randint as randint
from gpukit._core import randn as randn
from gpukit._core import randn_like as randn_like
from gpukit._core import randperm as randperm
from gpukit._core import ravel as ravel
from gpukit._core import real as real
from gpukit._core import reciprocal as reciprocal
from gpukit._core import relu as relu
from gpukit._core import remainder as remainder
from gpukit._core import renorm as renorm
from gpukit._core import repeat_interleave as repeat_interleave
from gpukit._core import reshape as reshape
from gpukit._core import resolve_conj as resolve_conj
from gpukit._core import resolve_neg as resolve_neg
from gpukit._core import result_type as result_type
from gpukit._core import roll as roll
from gpukit._core import rot90 as rot90
from gpukit._core import round as round
from gpukit._core import rsqrt as rsqrt
from gpukit._core import scatter as scatter
from gpukit._core import scatter_add as scatter_add
from gpukit._core import scatter_reduce as scatter_reduce
from gpukit._core import searchsorted as searchsorted
from gpukit._core import seed as seed
from gpukit._core import select_scatter as select_scatter
from gpukit._core import set_default_device as set_default_device
from gpukit._core import set_default_dtype as set_default_dtype
from gpukit._core import set_float32_matmul_precision as set_float32_matmul_precision
from gpukit._core import set_num_threads as set_num_threads
from gpukit._core import sgn as sgn
from gpukit._core import short as short
from gpukit._core import sigmoid as sigmoid
from gpukit._core import sign as sign
from gpukit._core import signbit as signbit
from gpukit._core import sin as sin
from gpukit._core import sinc as sinc
from gpukit._core import sinh as sinh
from gpukit._core import slice_scatter as slice_scatter
from gpukit._core import slogdet as slogdet
from gpukit._core import softmax as softmax
from gpukit._core import sort as sort
from gpukit._core import split as split
from gpukit._core import split_with_sizes as split_with_sizes
from gpukit._core import sqrt as sqrt
from gpukit._core import square as square
from gpukit._core import squeeze as squeeze
from gpukit._core import stack as stack
from gpukit._core import std as std
from gpukit._core import std_mean as std_mean
from gpukit._core import stft as stft
from gpukit._core import sub as sub
from gpukit._core import subtract as subtract
from gpukit._core import sum as sum
from gpukit._core import svd as svd
from gpukit._core import swapaxes as swapaxes
from gpukit._core import swapdims as swapdims
from gpukit._core import synchronize as synchronize
from gpukit._core import t as t
from gpukit._core import take as take
from gpukit._core import take_along_dim as take_along_dim
from gpukit._core import tan as tan
from gpukit._core import tanh as tanh
from gpukit._core import tensor as tensor
from gpukit._core import tensor_split as tensor_split
from gpukit._core import tensordot as tensordot
from gpukit._core import tile as tile
from gpukit._core import topk as topk
from gpukit._core import trace as trace
from gpukit._core import transpose as transpose
from gpukit._core import trapezoid as trapezoid
from gpukit._core import trapz as trapz
from gpukit._core import triangular_solve as triangular_solve
from gpukit._core import tril as tril
from gpukit._core import tril_indices as tril_indices
from gpukit._core import triu as triu
from gpukit._core import triu_indices as triu_indices
from gpukit._core import true_divide as true_divide
from gpukit._core import trunc as trunc
from gpukit._core import uint8 as uint8
from gpukit._core import uint16 as uint16
from gpukit._core import uint32 as uint32
from gpukit._core import uint64 as uint64
from gpukit._core import unbind as unbind
from gpukit._core import unflatten as unflatten
from gpukit._core import unique as unique
from gpukit._core import unique_consecutive as unique_consecutive
from gpukit._core import unravel_index as unravel_index
from gpukit._core import unsafe_chunk as unsafe_chunk
from gpukit._core import unsafe_split as unsafe_split
from gpukit._core import unsqueeze as unsqueeze
from gpukit._core import unstack as unstack
from gpukit._core import vander as vander
from gpukit._core import var as var
from gpukit._core import var_mean as var_mean
from gpukit._core import vdot as vdot
from gpukit._core import vecdot as vecdot
from gpukit._core import view_as_complex as view_as_complex
from gpukit._core import view_as_real as view_as_real
from gpukit._core import vsplit as vsplit
from gpukit._core import vstack as vstack
from gpukit._core import where as where
from gpukit._core import xlog1py as xlog1py
from gpukit._core import xlogy as xlogy
from gpukit._core import zeros as zeros
from gpukit._core import zeros_like as zeros_like
from gpukit._core import zeta as zeta
from gpukit._device import cpu as cpu
from gpukit._device import devices as devices
from gpukit._device import gpu as gpu
from gpukit._device import num_gpus as num_gpus
from gpukit._device import require_gpus as require_gpus
from gpukit._device import try_all_gpus as try_all_gpus
from gpukit._device import try_gpu as try_gpu
from gpukit._devices.device_log import DeviceLog as DeviceLog
from gpukit._devices.memory import free as free
from gpukit._devices.memory import memory as memory
from gpukit._devices.parallel import parallel as parallel
from gpukit._devices.selftest import selftest as selftest
from gpukit._devices.watch import allow_sync as allow_sync
from gpukit._devices.watch import watch as watch
from gpukit._ipython.magics import load_ipython_extension as load_ipython_extension
from gpukit._ipython.magics import unload_ipython_extension as unload_ipython_extension
from gpukit._language import get_language as get_language
from gpukit._language import set_language as set_language
from gpukit._operators.low_rank import pca_lowrank as pca_lowrank
from gpukit._operators.low_rank import svd_lowrank as svd_lowrank
from gpukit._operators.made import column_stack as column_stack
from gpukit._operators.made import empty_strided as empty_strided
from gpukit._operators.made import frobenius_norm as frobenius_norm
from gpukit._operators.made import logspace as logspace
from gpukit._operators.made import nuclear_norm as nuclear_norm
from gpukit._operators.made import randint_like as randint_like
from gpukit._operators.made import range as range
from gpukit._operators.made import row_stack as row_stack
from gpukit._operators.made import rsub as rsub
from gpukit._operators.made import scalar_tensor as scalar_tensor
from gpukit._operators.rearranged import is_storage as is_storage
from gpukit._operators.rearranged import typename as typename
from gpukit._operators.windows import bartlett_window as bartlett_window
from gpukit._operators.windows import blackman_window as blackman_window
from gpukit._operators.windows import hamming_window as hamming_window
from gpukit._operators.windows import hann_window as hann_window
from gpukit._operators.windows import kaiser_window as kaiser_window
from gpukit._simulation.session import Simulation as Simulation
from gpukit._simulation.session import simulate as simulate
from gpukit._system.info import info as info
from gpukit._system.vendors import vendors as vendors
from gpukit._system.versions import env as env
from gpukit._system.versions import show_versions as show_versions
from gpukit._tensors.legacy import BFloat16Tensor as BFloat16Tensor
from gpukit._tensors.legacy import BoolTensor as BoolTensor
from gpukit._tensors.legacy import ByteTensor as ByteTensor
from gpukit._tensors.legacy import CharTensor as CharTensor
from gpukit._tensors.legacy import DoubleTensor as DoubleTensor
from gpukit._tensors.legacy import FloatTensor as FloatTensor
from gpukit._tensors.legacy import HalfTensor as HalfTensor
from gpukit._tensors.legacy import IntTensor as IntTensor
from gpukit._tensors.legacy import LongTensor as LongTensor
from gpukit._tensors.legacy import ShortTensor as ShortTensor
from gpukit._tensors.legacy import (
    are_deterministic_algorithms_enabled as are_deterministic_algorithms_enabled,
)
from gpukit._tensors.legacy import channels_last as channels_last
from gpukit._tensors.legacy import channels_last_3d as channels_last_3d
from gpukit._tensors.legacy import contiguous_format as contiguous_format
from gpukit._tensors.legacy import get_deterministic_debug_mode as get_deterministic_debug_mode
from gpukit._tensors.legacy import get_num_interop_threads as get_num_interop_threads
from gpukit._tensors.legacy import (
    is_deterministic_algorithms_warn_only_enabled as is_deterministic_algorithms_warn_only_enabled,
)
from gpukit._tensors.legacy import layout as layout
from gpukit._tensors.legacy import memory_format as memory_format
from gpukit._tensors.legacy import preserve_format as preserve_format
from gpukit._tensors.legacy import set_default_tensor_type as set_default_tensor_type
from gpukit._tensors.legacy import set_deterministic_debug_mode as set_deterministic_debug_mode
from gpukit._tensors.legacy import set_num_interop_threads as set_num_interop_threads
from gpukit._tensors.legacy import strided as strided
from gpukit._tensors.legacy import use_deterministic_algorithms as use_deterministic_algorithms
from gpukit._tensors.limits import finfo as finfo
from gpukit._tensors.limits import iinfo as iinfo
from gpukit._tensors.printing import set_printoptions as set_printoptions
from gpukit._tensors.transfer import TransferFuture as TransferFuture
from gpukit._tensors.transfer import prefetch as prefetch
from gpukit._tensors.transfer import to as to
from gpukit._tensors.transfer import to_cpu as to_cpu
from gpukit.amp import GradScaler as GradScaler
from gpukit.amp import autocast as autocast
from gpukit.amp import get_autocast_cpu_dtype as get_autocast_cpu_dtype
from gpukit.amp import get_autocast_dtype as get_autocast_dtype
from gpukit.amp import get_autocast_gpu_dtype as get_autocast_gpu_dtype
from gpukit.amp import is_autocast_cpu_enabled as is_autocast_cpu_enabled
from gpukit.amp import is_autocast_enabled as is_autocast_enabled
from gpukit.autograd import enable_grad as enable_grad
from gpukit.autograd import inference_mode as inference_mode
from gpukit.autograd import no_grad as no_grad
from gpukit.autograd import set_grad_enabled as set_grad_enabled
from gpukit.autograd._anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from gpukit.autograd._anomaly import is_anomaly_enabled as is_anomaly_enabled
from gpukit.bench import BandwidthTable as _BandwidthTable
from gpukit.bench import BatchingResult as _BatchingResult
from gpukit.bench import BenchResult as _BenchResult
from gpukit.bench import BenchTable as _BenchTable
from gpukit.bench import Crossover as _Crossover
from gpukit.bench import DiffTable as _DiffTable
from gpukit.bench import GilReport as _GilReport
from gpukit.bench import LoggingTable as _LoggingTable
from gpukit.bench import OverlapResult as _OverlapResult
from gpukit.bench import Peaks as _Peaks
from gpukit.bench import RelativeTable as _RelativeTable
from gpukit.bench import ResultTable as _ResultTable
from gpukit.bench import ScalingResult as _ScalingResult
from gpukit.bench import SimulatedBenchResult as _SimulatedBenchResult
from gpukit.bench import bandwidth as _bandwidth
from gpukit.bench import batching as _batching
from gpukit.bench import compare as _compare
from gpukit.bench import crossover as _crossover
from gpukit.bench import diff as _diff
from gpukit.bench import gil as _gil
from gpukit.bench import load as _load
from gpukit.bench import logging as _logging
from gpukit.bench import matmul as _matmul
from gpukit.bench import overlap as _overlap
from gpukit.bench import peaks as _peaks
from gpukit.bench import relative as _relative
from gpukit.bench import run as _run
from gpukit.bench import save as _save
from gpukit.bench import scaling as _scaling
from gpukit.bench import timer as _timer
from gpukit.bench._gil import gil_report as gil_report
from gpukit.bench.result import BenchResult
from gpukit.cloud.card_table import cards as cards
from gpukit.cloud.offers import Offer as _Offer
from gpukit.distributions._functions import binomial as binomial
from gpukit.distributions._functions import poisson as poisson
from gpukit.doctor.check import Check as _Check
from gpukit.doctor.diagnosis import Diagnosis as _Diagnosis
from gpukit.doctor.smi_text import SmiReport as _SmiReport
from gpukit.doctor.wheels import Compat as _Compat
from gpukit.errors import ArgumentError as ArgumentError
from gpukit.errors import AutogradError as AutogradError
from gpukit.errors import BenchError as BenchError
from gpukit.errors import BoundsError as BoundsError
from gpukit.errors import CheckpointError as CheckpointError
from gpukit.errors import CompileError as CompileError
from gpukit.errors import DeviceError as DeviceError
from gpukit.errors import DeviceMismatchError as DeviceMismatchError
from gpukit.errors import DeviceNotFoundError as DeviceNotFoundError
from gpukit.errors import DimensionError as DimensionError
from gpukit.errors import DistributedError as DistributedError
from gpukit.errors import DriverError as DriverError
from gpukit.errors import DTypeError as DTypeError
from gpukit.errors import GpukitError as GpukitError
from gpukit.errors import GpukitWarning as GpukitWarning
from gpukit.errors import InvalidDeviceError as InvalidDeviceError
from gpukit.errors import LinAlgError as LinAlgError
from gpukit.errors import LintError as LintError
from gpukit.errors import LogFullError as LogFullError
from gpukit.errors import OutOfMemoryError as OutOfMemoryError
from gpukit.errors import RangeError as RangeError
from gpukit.errors import ShapeError as ShapeError
from gpukit.errors import SimulationError as SimulationError
from gpukit.errors import TransferError as TransferError
from gpukit.func import vmap as vmap
from gpukit.monitor import Energy as _Energy
from gpukit.monitor import GpuProcess, GPUStatCollection, Snapshot
from gpukit.monitor import Live as _Live
from gpukit.monitor import Session as _Session
from gpukit.monitor import SmiTable as _SmiTable
from gpukit.monitor import Topology as _Topology
from gpukit.monitor._diff import Diff
from gpukit.monitor.display import smi as smi
from gpukit.monitor.pick import pick_gpu as pick_gpu
from gpukit.monitor.sampler import Monitor
from gpukit.nn._native import adaptive_max_pool1d as adaptive_max_pool1d
from gpukit.nn._native import alpha_dropout as alpha_dropout
from gpukit.nn._native import batch_norm as batch_norm
from gpukit.nn._native import constant_pad_nd as constant_pad_nd
from gpukit.nn._native import dropout as dropout
from gpukit.nn._native import embedding as embedding
from gpukit.nn._native import feature_alpha_dropout as feature_alpha_dropout
from gpukit.nn._native import group_norm as group_norm
from gpukit.nn._native import instance_norm as instance_norm
from gpukit.nn._native import layer_norm as layer_norm
from gpukit.nn._native_losses import (
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
)
from gpukit.nn._native_losses import cosine_embedding_loss as cosine_embedding_loss
from gpukit.nn._native_losses import ctc_loss as ctc_loss
from gpukit.nn._native_losses import hinge_embedding_loss as hinge_embedding_loss
from gpukit.nn._native_losses import kl_div as kl_div
from gpukit.nn._native_losses import margin_ranking_loss as margin_ranking_loss
from gpukit.nn._native_losses import poisson_nll_loss as poisson_nll_loss
from gpukit.nn._native_losses import triplet_margin_loss as triplet_margin_loss
from gpukit.nn.functional import adaptive_avg_pool1d as adaptive_avg_pool1d
from gpukit.nn.functional import avg_pool1d as avg_pool1d
from gpukit.nn.functional import bilinear as bilinear
from gpukit.nn.functional import celu as celu
from gpukit.nn.functional import celu_ as celu_
from gpukit.nn.functional import channel_shuffle as channel_shuffle
from gpukit.nn.functional import conv1d as conv1d
from gpukit.nn.functional import conv2d as conv2d
from gpukit.nn.functional import conv3d as conv3d
from gpukit.nn.functional import conv_transpose1d as conv_transpose1d
from gpukit.nn.functional import conv_transpose2d as conv_transpose2d
from gpukit.nn.functional import conv_transpose3d as conv_transpose3d
from gpukit.nn.functional import cosine_similarity as cosine_similarity
from gpukit.nn.functional import hardshrink as hardshrink
from gpukit.nn.functional import max_pool1d as max_pool1d
from gpukit.nn.functional import max_pool2d as max_pool2d
from gpukit.nn.functional import max_pool3d as max_pool3d
from gpukit.nn.functional import pairwise_distance as pairwise_distance
from gpukit.nn.functional import pixel_shuffle as pixel_shuffle
from gpukit.nn.functional import pixel_unshuffle as pixel_unshuffle
from gpukit.nn.functional import prelu as prelu
from gpukit.nn.functional import rms_norm as rms_norm
from gpukit.nn.functional import rrelu as rrelu
from gpukit.nn.functional import rrelu_ as rrelu_
from gpukit.nn.functional import selu as selu
from gpukit.nn.functional import selu_ as selu_
from gpukit.nn.functional import threshold as threshold
from gpukit.nn.functional import threshold_ as threshold_
from gpukit.planning.fitting import fit as fit
from gpukit.planning.other_cards import what_if as what_if
from gpukit.random import get_rng_state as get_rng_state
from gpukit.random import set_rng_state as set_rng_state
from gpukit.report import Table

__version__: str
e: builtins.float
inf: builtins.float
nan: builtins.float
newaxis: None
pi: builtins.float

class _BenchNamespace:
    __name__: str
    BandwidthTable = _BandwidthTable
    BatchingResult = _BatchingResult
    BenchResult = _BenchResult
    BenchTable = _BenchTable
    Crossover = _Crossover
    DiffTable = _DiffTable
    GilReport = _GilReport
    LoggingTable = _LoggingTable
    OverlapResult = _OverlapResult
    Peaks = _Peaks
    RelativeTable = _RelativeTable
    ResultTable = _ResultTable
    ScalingResult = _ScalingResult
    SimulatedBenchResult = _SimulatedBenchResult
    bandwidth = staticmethod(_bandwidth)
    batching = staticmethod(_batching)
    compare = staticmethod(_compare)
    crossover = staticmethod(_crossover)
    diff = staticmethod(_diff)
    gil = staticmethod(_gil)
    load = staticmethod(_load)
    logging = staticmethod(_logging)
    matmul = staticmethod(_matmul)
    overlap = staticmethod(_overlap)
    peaks = staticmethod(_peaks)
    relative = staticmethod(_relative)
    run = staticmethod(_run)
    save = staticmethod(_save)
    scaling = staticmethod(_scaling)
    timer = _timer
    def __call__(self, fn: Any = None, *args: Any, **options: Any) -> Any: ...

bench: _BenchNamespace

class _CloudNamespace(Protocol):
    Offer: type[_Offer]
    def __call__(
        self,
        free_only: builtins.bool = False,
        *,
        price: Mapping[str, builtins.float] | None = None,
        today: date | None = None,
    ) -> Table: ...
    def advice(self, what: str = "rent") -> str: ...
    def breakeven(
        self,
        price: builtins.float,
        hours_per_week: builtins.float,
        offer_or_price: str | builtins.float,
    ) -> builtins.float: ...
    def cards(
        self,
        sort: str | None = None,
        gpu: str | None = None,
        *,
        price: Mapping[str, builtins.float] | None = None,
    ) -> Table: ...
    def estimate(
        self,
        result: BenchResult,
        *,
        units: builtins.float | None = None,
        epochs: builtins.float | None = None,
        price: Mapping[str, builtins.float] | None = None,
    ) -> Table: ...
    def offer(self, name: str) -> _Offer: ...
    def recommend(
        self,
        need_gb: builtins.float | None = None,
        hours: builtins.float | None = None,
        budget: builtins.float | None = None,
        gpus: builtins.int = 1,
        *,
        price: Mapping[str, builtins.float] | None = None,
    ) -> Table: ...
    def relative(
        self, to: str = "P100", *, price: Mapping[str, builtins.float] | None = None
    ) -> Table: ...
    def steps(self, name: str) -> str: ...
    def table(
        self,
        free_only: builtins.bool = False,
        *,
        price: Mapping[str, builtins.float] | None = None,
        today: date | None = None,
    ) -> Table: ...

cloud: _CloudNamespace

class _MonitorNamespace(Protocol):
    def __call__(
        self, interval: builtins.float = 1.0, devices: Any = None, duration: Any = None
    ) -> Monitor: ...
    def diff(self, a: Any, b: Any) -> Diff: ...
    def energy(self, device: Any = None, interval: builtins.float = 0.1) -> _Energy: ...
    def live(
        self, interval: builtins.float = 1.0, devices: Any = None, points: builtins.int = 120
    ) -> _Live: ...
    def new_query(self) -> GPUStatCollection: ...
    def pick_gpu(
        self, min_free: builtins.int | str | None = None, *, by: str = "free_memory"
    ) -> device: ...
    def processes(
        self, device: Any = None, *, command_lines: builtins.bool = False
    ) -> list[GpuProcess]: ...
    def session(self, file: Any = None, state: Any = None, **options: Any) -> _Session: ...
    def smi(self, *, file: Any = None) -> _SmiTable: ...
    def snapshot(self) -> Snapshot: ...
    def topology(self) -> _Topology: ...

monitor: _MonitorNamespace

class _DoctorNamespace(Protocol):
    Check: type[_Check]
    Compat: type[_Compat]
    Diagnosis: type[_Diagnosis]
    SmiReport: type[_SmiReport]
    def __call__(self, *, deep: builtins.bool = False, lang: str | None = None) -> _Diagnosis: ...
    def examine(self, *, deep: builtins.bool = False, lang: str | None = None) -> _Diagnosis: ...
    def checks(self) -> list[str]: ...
    def compat(
        self,
        driver: str | None = None,
        gpu: str | builtins.float | tuple[builtins.int, builtins.int] | None = None,
    ) -> _Compat: ...
    def explain(self, text: str) -> str: ...
    def judge_paste(self, text: str) -> _Diagnosis: ...
    def parse_smi(self, text: str) -> _SmiReport: ...
    def plan(self, os: str | None = None, shell: str | None = None) -> str: ...

doctor: _DoctorNamespace

abs_ = Tensor.abs_
acos_ = Tensor.acos_
acosh_ = Tensor.acosh_
addmv_ = Tensor.addmv_
arccos_ = Tensor.arccos_
arccosh_ = Tensor.arccosh_
arcsin_ = Tensor.arcsin_
arcsinh_ = Tensor.arcsinh_
arctan_ = Tensor.arctan_
arctanh_ = Tensor.arctanh_
as_strided_ = Tensor.as_strided_
asin_ = Tensor.asin_
asinh_ = Tensor.asinh_
atan_ = Tensor.atan_
atanh_ = Tensor.atanh_
ceil_ = Tensor.ceil_
clamp_ = Tensor.clamp_
clamp_max_ = Tensor.clamp_max_
clamp_min_ = Tensor.clamp_min_
clip_ = Tensor.clip_
conj_physical_ = Tensor.conj_physical_
cos_ = Tensor.cos_
cosh_ = Tensor.cosh_
deg2rad_ = Tensor.deg2rad_
detach = Tensor.detach
detach_ = Tensor.detach_
erf_ = Tensor.erf_
erfc_ = Tensor.erfc_
exp2_ = Tensor.exp2_
exp_ = Tensor.exp_
expm1_ = Tensor.expm1_
fill_ = Tensor.fill_
fix_ = Tensor.fix_
floor_ = Tensor.floor_
frac_ = Tensor.frac_
get_device = Tensor.get_device
i0_ = Tensor.i0_
index_put_ = Tensor.index_put_
ldexp_ = Tensor.ldexp_
log10_ = Tensor.log10_
log1p_ = Tensor.log1p_
log2_ = Tensor.log2_
log_ = Tensor.log_
logit_ = Tensor.logit_
nan_to_num_ = Tensor.nan_to_num_
neg_ = Tensor.neg_
negative_ = Tensor.negative_
rad2deg_ = Tensor.rad2deg_
reciprocal_ = Tensor.reciprocal_
relu_ = Tensor.relu_
resize_as_ = Tensor.resize_as_
round_ = Tensor.round_
rsqrt_ = Tensor.rsqrt_
select = Tensor.select
sigmoid_ = Tensor.sigmoid_
sin_ = Tensor.sin_
sinc_ = Tensor.sinc_
sinh_ = Tensor.sinh_
sqrt_ = Tensor.sqrt_
square_ = Tensor.square_
tan_ = Tensor.tan_
tanh_ = Tensor.tanh_
trunc_ = Tensor.trunc_
xlogy_ = Tensor.xlogy_
zero_ = Tensor.zero_

def __dir__() -> list[str]: ...
