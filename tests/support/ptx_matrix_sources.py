"""CUDA C++ of one matrix product by mma.sync: of halves, and of tf32."""

SOURCE = r"""
__device__ unsigned word(const void* p) { return *(const unsigned*)p; }
// 16 x 16 times 16 x 8, both read from shared memory by ldmatrix.
extern "C" __global__ void half_product(const short* a, const short* b, float* d) {
  __shared__ __align__(16) short sa[16 * 16], sb[16 * 8];
  for (int i = threadIdx.x; i < 256; i += 32) sa[i] = a[i];
  for (int i = threadIdx.x; i < 128; i += 32) sb[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  int lane = threadIdx.x;
  unsigned pa = (unsigned)__cvta_generic_to_shared(sa + (lane % 16) * 16 + lane / 16 * 8);
  unsigned pb = (unsigned)__cvta_generic_to_shared(sb + (lane % 16) * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
      : "=r"(rb[0]), "=r"(rb[1]) : "r"(pb));
  float c[4] = {1, 1, 1, 1};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.TYPE.TYPE.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  int row = lane / 4, column = lane % 4 * 2;
  d[row * 8 + column] = c[0];
  d[row * 8 + column + 1] = c[1];
  d[(row + 8) * 8 + column] = c[2];
  d[(row + 8) * 8 + column + 1] = c[3];
}
"""
SINGLE = r"""
extern "C" __global__ void single_product(const float* a, const float* b, float* d) {
  int lane = threadIdx.x, row = lane / 4, part = lane % 4;
  unsigned a0 = __float_as_uint(a[row * 8 + part]), a1 = __float_as_uint(a[(row + 8) * 8 + part]);
  unsigned a2 = __float_as_uint(a[row * 8 + part + 4]);
  unsigned a3 = __float_as_uint(a[(row + 8) * 8 + part + 4]);
  unsigned b0 = __float_as_uint(b[part * 8 + row]), b1 = __float_as_uint(b[(part + 4) * 8 + row]);
  float c[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  d[row * 8 + part * 2] = c[0];
  d[row * 8 + part * 2 + 1] = c[1];
  d[(row + 8) * 8 + part * 2] = c[2];
  d[(row + 8) * 8 + part * 2 + 1] = c[3];
}
"""
